-- Positions at the end of the window, from the last fill of each account and market, in dollars at the last close, or at the fill's price without one.
with last_fills as (
  select
    user as account, market, time_ms, price,
    start_position + case when side = 'buy' then size else -size end as position,
    row_number() over (
      partition by user, market
      order by time_ms desc, lpad(coalesce(trade_id, ''), 24, '0') desc, lpad(coalesce(order_id, ''), 24, '0') desc
    ) as place
  from fill
  where user is not null and start_position is not null
    and time_ms < $to_hour * 3600000
    and (array_length($coins) = 0 or list_contains($coins, market))
    and (array_length($accounts) = 0 or list_contains($accounts, user))
),
closes as (
  select market, max_by(close, hour) as close
  from candle
  where hour < $to_hour
  group by market
),
measured as (
  select
    f.account, f.market,
    cast(f.position as double) as position,
    case when f.position > 0 then 'long' else 'short' end as side,
    round(abs(cast(f.position as double)) * cast(coalesce(c.close, f.price) as double), 2) as position_usd,
    f.time_ms // 86400000 as last_traded_day
  from last_fills f
  left join closes c on c.market = f.market
  where f.place = 1 and f.position <> 0
),
ranked as (
  select *, row_number() over (order by position_usd desc, account, market) as rank
  from measured
  where ($side = 'both' or side = $side)
    and coalesce(position_usd >= $position_usd_min, true) and coalesce(position_usd > $position_usd_above, true)
    and coalesce(position_usd <= $position_usd_max, true) and coalesce(position_usd < $position_usd_below, true)
)
select rank, account, market, side, position_usd, position, last_traded_day
from ranked
where rank <= $top
order by rank
