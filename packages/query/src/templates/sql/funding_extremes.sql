-- Funding paid in the window, and the latest rate against the week before it.
with paid as (
  select market, hour, rate
  from funding
  where hour >= $from_hour and hour <= $to_hour
    and (array_length($coins) = 0 or list_contains($coins, market))
),
summed as (
  select
    market,
    count(*) as hours,
    sum(cast(rate as decimal(28, 12))) as total,
    min(cast(rate as decimal(28, 12))) as lowest,
    max(cast(rate as decimal(28, 12))) as highest,
    max(hour) as last_hour,
    cast(max_by(rate, hour) as double) as latest,
    string_agg(case when mod(hour - $from_hour, $step_hours) = 0 then cast(rate as varchar) end, ',' order by hour) as trend
  from paid
  group by market
),
before as (
  select
    f.market,
    count(*) as n,
    sum(cast(f.rate as decimal(18, 12))) as s,
    sum(cast(f.rate as decimal(19, 12)) * cast(f.rate as decimal(19, 12))) as ss
  from funding f
  join summed w on w.market = f.market
  where f.hour >= w.last_hour - 168 and f.hour < w.last_hour
  group by f.market
),
deviated as (
  select
    market, n,
    cast(s as double) / n as mean,
    sqrt(greatest(cast(ss as double) / n - (cast(s as double) / n) * (cast(s as double) / n), 0)) as deviation
  from before
),
measured as (
  select
    w.market, w.hours, w.trend,
    round(w.latest * 100, 6) as latest_hourly_pct,
    round(cast(w.total as double) / w.hours * 100, 6) as mean_hourly_pct,
    round(case when $latest then w.latest else cast(w.total as double) / w.hours end * 100, 6) as funding_hourly_pct,
    round(case when $latest then w.latest else cast(w.total as double) / w.hours end * 876000, 4) as funding_apr_pct,
    round(cast(w.lowest as double) * 100, 6) as lowest_hourly_pct,
    round(cast(w.highest as double) * 100, 6) as highest_hourly_pct,
    case when b.n >= 24 then round((w.latest - b.mean) / greatest(b.deviation, 0.0000001), 2) end as z
  from summed w
  left join deviated b on b.market = w.market
),
directed as (
  select *, case $way when 'up' then funding_hourly_pct when 'down' then -funding_hourly_pct else abs(funding_hourly_pct) end as paid_pct
  from measured
),
ranked as (
  select *, row_number() over (order by paid_pct desc, market) as rank
  from directed
  where ($way = 'both' or paid_pct > 0)
    and coalesce(paid_pct >= $funding_hourly_pct_min, true) and coalesce(paid_pct > $funding_hourly_pct_above, true)
    and coalesce(paid_pct <= $funding_hourly_pct_max, true) and coalesce(paid_pct < $funding_hourly_pct_below, true)
    and coalesce(abs(z) >= $z_min, $z_min is null) and coalesce(abs(z) > $z_above, $z_above is null)
)
select
  rank, market, funding_hourly_pct, funding_apr_pct, latest_hourly_pct, mean_hourly_pct,
  lowest_hourly_pct, highest_hourly_pct, z, hours, trend
from ranked
where rank <= $top
order by rank
