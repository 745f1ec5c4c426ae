-- Liquidations by market, and the hour in which most of them fell: half of the sum in one hour, by ten or more, is a cascade.
with forced as (
  select
    market,
    time_ms // 3600000 as hour,
    position,
    cast(price as decimal(18, 8)) * cast(size as decimal(20, 6)) as dollars
  from liquidation
  where time_ms >= $from_hour * 3600000 and time_ms < $to_hour * 3600000
    and ($side = 'both' or position = $side)
    and (array_length($coins) = 0 or list_contains($coins, market))
),
hourly as (
  select market, hour, sum(dollars) as dollars, count(*) as n
  from forced
  group by market, hour
),
peaks as (
  select market, hour as peak_hour, dollars as peak_dollars, n as peak_count
  from (select *, row_number() over (partition by market order by dollars desc, hour) as place from hourly)
  where place = 1
),
trends as (
  select market, string_agg(cast(dollars as varchar), ',' order by hour) as trend
  from hourly
  group by market
),
summed as (
  select
    market,
    count(*) as liquidations,
    sum(dollars) as dollars,
    sum(case when position = 'long' then dollars else 0 end) as long_dollars,
    sum(case when position = 'short' then dollars else 0 end) as short_dollars
  from forced
  group by market
),
measured as (
  select
    s.market, s.liquidations, p.peak_hour, p.peak_count, t.trend,
    round(cast(s.dollars as double), 2) as liquidation_usd,
    round(cast(s.long_dollars as double), 2) as long_usd,
    round(cast(s.short_dollars as double), 2) as short_usd,
    round(cast(p.peak_dollars as double), 2) as peak_hour_usd,
    p.peak_count >= 10 and cast(p.peak_dollars as double) >= cast(s.dollars as double) / 2 as cascade
  from summed s
  join peaks p on p.market = s.market
  join trends t on t.market = s.market
),
ranked as (
  select *, row_number() over (order by liquidation_usd desc, market) as rank
  from measured
  where coalesce(liquidation_usd >= $liquidation_usd_min, true) and coalesce(liquidation_usd > $liquidation_usd_above, true)
    and coalesce(liquidation_usd <= $liquidation_usd_max, true) and coalesce(liquidation_usd < $liquidation_usd_below, true)
)
select rank, market, liquidation_usd, long_usd, short_usd, liquidations, peak_hour, peak_hour_usd, cascade, trend
from ranked
where rank <= $top
order by rank
