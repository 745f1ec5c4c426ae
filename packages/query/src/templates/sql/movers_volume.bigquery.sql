-- How much was traded, in dollars at each hour's close.
with traded as (
  select
    market,
    sum(cast(close as bignumeric(18, 8)) * cast(volume as bignumeric(20, 4))) as dollars,
    cast(min_by(open, hour) as float64) as first_price,
    cast(max_by(close, hour) as float64) as last_price,
    count(volume) as hours,
    string_agg(case when mod(hour - @from_hour, @step_hours) = 0 then cast(volume as string) end, ',' order by hour) as trend
  from candle
  where hour >= @from_hour and hour < @to_hour
    and (array_length(@coins) = 0 or market in unnest(@coins))
  group by market
),
measured as (
  select
    market, hours, trend,
    round(cast(dollars as float64), 2) as volume_usd,
    round((last_price / first_price - 1) * 100, 4) as change_pct
  from traded
  where hours > 0
),
ranked as (
  select *, row_number() over (order by volume_usd desc, market) as rank
  from measured
  where coalesce(volume_usd >= @volume_usd_min, true) and coalesce(volume_usd > @volume_usd_above, true)
    and coalesce(volume_usd <= @volume_usd_max, true) and coalesce(volume_usd < @volume_usd_below, true)
)
select rank, market, volume_usd, change_pct, hours, trend
from ranked
where rank <= @top
order by rank
