-- How wide the impact prices stood apart, against their middle.
with looked as (
  select
    market, time_ms,
    (cast(impact_ask as float64) - cast(impact_bid as float64)) / ((cast(impact_ask as float64) + cast(impact_bid as float64)) / 2) * 10000 as wide
  from asset_context
  where time_ms >= @from_hour * 3600000 and time_ms <= @to_hour * 3600000
    and impact_bid is not null and impact_ask is not null
    and (array_length(@coins) = 0 or market in unnest(@coins))
),
summed as (
  select
    market,
    count(*) as looks,
    max_by(wide, time_ms) as latest,
    sum(cast(wide as bignumeric(18, 8))) as total,
    max(wide) as widest,
    string_agg(case when mod(div(time_ms, 3600000) - @from_hour, @step_hours) = 0 then cast(round(wide, 4) as string) end, ',' order by time_ms) as trend
  from looked
  group by market
),
measured as (
  select
    market, looks, trend,
    round(case when @latest then latest else cast(total as float64) / looks end, 3) as spread_bps,
    round(latest, 3) as latest_bps,
    round(widest, 3) as widest_bps
  from summed
),
ranked as (
  select *, row_number() over (order by case when @way = 'down' then -spread_bps else spread_bps end desc, market) as rank
  from measured
  where coalesce(spread_bps >= @spread_bps_min, true) and coalesce(spread_bps > @spread_bps_above, true)
    and coalesce(spread_bps <= @spread_bps_max, true) and coalesce(spread_bps < @spread_bps_below, true)
)
select rank, market, spread_bps, latest_bps, widest_bps, looks, trend
from ranked
where rank <= @top
order by rank
