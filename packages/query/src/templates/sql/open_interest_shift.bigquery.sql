-- Open interest at the first and at the last look of the window; dollars at the oracle's price, or the mark's without one.
with looked as (
  select market, time_ms, open_interest, coalesce(oracle, mark) as price
  from asset_context
  where time_ms >= @from_hour * 3600000 and time_ms <= @to_hour * 3600000
    and open_interest is not null
    and (array_length(@coins) = 0 or market in unnest(@coins))
),
summed as (
  select
    market,
    count(*) as looks,
    cast(min_by(open_interest, time_ms) as float64) as first_interest,
    cast(max_by(open_interest, time_ms) as float64) as last_interest,
    cast(max_by(price, time_ms) as float64) as price,
    string_agg(case when mod(div(time_ms, 3600000) - @from_hour, @step_hours) = 0 then cast(open_interest as string) end, ',' order by time_ms) as trend
  from looked
  group by market
),
measured as (
  select
    market, looks, trend,
    round(last_interest, 4) as open_interest,
    round(last_interest * price, 2) as open_interest_usd,
    case when first_interest > 0 and looks > 1 then round((last_interest / first_interest - 1) * 100, 4) end as open_interest_change_pct
  from summed
),
directed as (
  select *, case @way when 'up' then open_interest_change_pct when 'down' then -open_interest_change_pct else abs(open_interest_change_pct) end as shifted_pct
  from measured
),
ranked as (
  select *, row_number() over (
    order by case when @by_size then open_interest_usd else shifted_pct end desc nulls last, market
  ) as rank
  from directed
  where (@way = 'both' or shifted_pct > 0)
    and coalesce(shifted_pct >= @open_interest_change_pct_min, @open_interest_change_pct_min is null)
    and coalesce(shifted_pct > @open_interest_change_pct_above, @open_interest_change_pct_above is null)
    and coalesce(open_interest_usd >= @open_interest_usd_min, @open_interest_usd_min is null)
    and coalesce(open_interest_usd > @open_interest_usd_above, @open_interest_usd_above is null)
    and coalesce(open_interest_usd <= @open_interest_usd_max, @open_interest_usd_max is null)
    and coalesce(open_interest_usd < @open_interest_usd_below, @open_interest_usd_below is null)
)
select rank, market, open_interest_change_pct, open_interest_usd, open_interest, looks, trend
from ranked
where rank <= @top
order by rank
