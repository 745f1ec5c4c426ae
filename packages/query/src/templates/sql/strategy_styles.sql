-- Accounts by style: how often they trade on the days they trade, and what became of each group.
with paced as (
  select
    user as account,
    cast(count(*) as double) / count(distinct time_ms // 86400000) as pace,
    cast(sum(case when crossed then 1 else 0 end) as double) / count(*) as taking,
    sum(cast(coalesce(closed_pnl, 0) as decimal(28, 8))) - sum(cast(coalesce(fee, 0) as decimal(28, 8))) as net,
    sum(cast(price as decimal(18, 8)) * cast(size as decimal(20, 6))) as volume,
    sum(case when closed_pnl <> 0 then 1 else 0 end) as closes,
    sum(case when closed_pnl > 0 then 1 else 0 end) as wins,
    count(*) as trades
  from fill
  where user is not null
    and time_ms >= $from_hour * 3600000 and time_ms < $to_hour * 3600000
    and (array_length($coins) = 0 or list_contains($coins, market))
  group by user
),
styled as (
  select *,
    case
      when $by_taking then case when taking >= 0.5 then 'taker' else 'maker' end
      when pace >= 10 then 'scalper'
      when pace >= 2 then 'day trader'
      else 'swing trader'
    end as style
  from paced
),
summed as (
  select
    style,
    count(*) as accounts,
    sum(net) as net,
    sum(volume) as volume,
    sum(trades) as trades,
    sum(closes) as closes,
    sum(wins) as wins,
    sum(case when net > 0 then 1 else 0 end) as winners
  from styled
  group by style
),
ranked as (
  select
    style, accounts, trades,
    round(cast(net as double), 2) as pnl_usd,
    round(cast(net as double) / accounts, 2) as pnl_per_account_usd,
    round(cast(net as double) / cast(volume as double) * 10000, 3) as pnl_bps_of_volume,
    case when closes > 0 then round(cast(wins as double) / cast(closes as double) * 100, 2) end as win_rate_pct,
    round(cast(winners as double) / accounts * 100, 1) as accounts_in_profit_pct,
    row_number() over (order by cast(net as double) / cast(volume as double) desc, style) as rank
  from summed
)
select rank, style, accounts, pnl_usd, pnl_per_account_usd, pnl_bps_of_volume, win_rate_pct, accounts_in_profit_pct, trades
from ranked
where rank <= $top
order by rank
