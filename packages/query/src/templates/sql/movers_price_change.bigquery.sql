-- How far prices moved: from the open of the first hour of the window to the close of its last.
with moved as (
  select
    market,
    cast(min_by(open, hour) as float64) as first_price,
    cast(max_by(close, hour) as float64) as last_price,
    sum(cast(close as bignumeric(18, 8)) * cast(volume as bignumeric(20, 4))) as traded,
    count(*) as hours,
    string_agg(case when mod(hour - @from_hour, @step_hours) = 0 then cast(close as string) end, ',' order by hour) as trend
  from candle
  where hour >= @from_hour and hour < @to_hour
    and (array_length(@coins) = 0 or market in unnest(@coins))
  group by market
),
measured as (
  select
    market, first_price, last_price, hours, trend,
    round((last_price / first_price - 1) * 100, 4) as change_pct,
    round(cast(traded as float64), 2) as volume_usd
  from moved
),
directed as (
  select *, case @way when 'up' then change_pct when 'down' then -change_pct else abs(change_pct) end as moved_pct
  from measured
),
ranked as (
  select *, row_number() over (order by moved_pct desc, market) as rank
  from directed
  where (@way = 'both' or moved_pct > 0)
    and coalesce(moved_pct >= @price_change_pct_min, true) and coalesce(moved_pct > @price_change_pct_above, true)
    and coalesce(moved_pct <= @price_change_pct_max, true) and coalesce(moved_pct < @price_change_pct_below, true)
    and coalesce(volume_usd >= @volume_usd_min, @volume_usd_min is null)
    and coalesce(volume_usd > @volume_usd_above, @volume_usd_above is null)
    and coalesce(volume_usd <= @volume_usd_max, @volume_usd_max is null)
    and coalesce(volume_usd < @volume_usd_below, @volume_usd_below is null)
)
select rank, market, change_pct, first_price, last_price, volume_usd, hours, trend
from ranked
where rank <= @top
order by rank
