-- How far the mark stood from the oracle: as the exchange says, or mark / oracle - 1 where it does not.
with looked as (
  select
    market, time_ms,
    coalesce(cast(premium as double), cast(mark as double) / cast(oracle as double) - 1) as gap
  from asset_context
  where time_ms >= $from_hour * 3600000 and time_ms <= $to_hour * 3600000
    and (array_length($coins) = 0 or list_contains($coins, market))
),
summed as (
  select
    market,
    count(*) as looks,
    max_by(gap, time_ms) as latest,
    sum(cast(gap as decimal(18, 12))) as total,
    min(gap) as lowest,
    max(gap) as highest,
    string_agg(case when mod(time_ms // 3600000 - $from_hour, $step_hours) = 0 then cast(round(gap, 9) as varchar) end, ',' order by time_ms) as trend
  from looked
  where gap is not null
  group by market
),
measured as (
  select
    market, looks, trend,
    round(case when $latest then latest else cast(total as double) / looks end * 100, 5) as premium_pct,
    round(latest * 100, 5) as latest_pct,
    round(lowest * 100, 5) as lowest_pct,
    round(highest * 100, 5) as highest_pct
  from summed
),
directed as (
  select *, case $way when 'up' then premium_pct when 'down' then -premium_pct else abs(premium_pct) end as away_pct
  from measured
),
ranked as (
  select *, row_number() over (order by away_pct desc, market) as rank
  from directed
  where ($way = 'both' or away_pct > 0)
    and coalesce(away_pct >= $premium_pct_min, true) and coalesce(away_pct > $premium_pct_above, true)
    and coalesce(away_pct <= $premium_pct_max, true) and coalesce(away_pct < $premium_pct_below, true)
)
select rank, market, premium_pct, latest_pct, lowest_pct, highest_pct, looks, trend
from ranked
where rank <= $top
order by rank
