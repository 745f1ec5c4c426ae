-- The hour of the window whose volume stood furthest out of the market's own thirty days before it.
with before as (
  select
    market,
    count(*) as n,
    cast(sum(cast(volume as bignumeric(28, 6))) as float64) / count(*) as mean,
    cast(sum(cast(round(cast(volume as float64) / 1000, 6) * round(cast(volume as float64) / 1000, 6) as bignumeric(38, 8))) as float64) / count(*) as mean_square
  from candle
  where hour >= @from_hour - 720 and hour < @from_hour and volume is not null
    and (array_length(@coins) = 0 or market in unnest(@coins))
  group by market
  having count(*) >= 48
),
scored as (
  select
    c.market, c.hour,
    cast(c.volume as float64) as volume,
    b.mean,
    cast(c.volume as float64) * cast(c.close as float64) as dollars,
    (cast(c.volume as float64) - b.mean) / greatest(sqrt(greatest(b.mean_square * 1000000 - b.mean * b.mean, 0)), b.mean / 100, 0.000001) as z
  from candle c
  join before b on b.market = c.market
  where c.hour >= @from_hour and c.hour < @to_hour and c.volume is not null
),
peaks as (
  select *, row_number() over (partition by market order by z desc, hour) as place
  from scored
),
measured as (
  select
    market, hour as peak_hour,
    round(z, 2) as z,
    round(dollars, 2) as volume_usd,
    case when mean > 0 then round(volume / mean, 2) end as times_usual
  from peaks
  where place = 1
),
ranked as (
  select *, row_number() over (order by z desc, market) as rank
  from measured
  where z >= coalesce(@z_min, @z_default) and coalesce(z > @z_above, true)
    and coalesce(volume_usd >= @volume_usd_min, true) and coalesce(volume_usd > @volume_usd_above, true)
)
select rank, market, z, times_usual, volume_usd, peak_hour
from ranked
where rank <= @top
order by rank
