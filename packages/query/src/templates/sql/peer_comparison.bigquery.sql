-- Coins against each other: return over the window, the same less the mean of all of them, and how their hourly moves go together with the anchor's.
with hourly as (
  select market, hour, round(cast(close as float64) / cast(open as float64) - 1, 10) as step
  from candle
  where hour >= @from_hour and hour < @to_hour
    and (array_length(@coins) < 2 or market in unnest(@coins))
),
spans as (
  select
    market,
    count(*) as hours,
    round((cast(max_by(close, hour) as float64) / cast(min_by(open, hour) as float64) - 1) * 100, 4) as return_pct
  from candle
  where hour >= @from_hour and hour < @to_hour
    and (array_length(@coins) < 2 or market in unnest(@coins))
  group by market
),
field as (
  select cast(sum(cast(return_pct as bignumeric(28, 6))) as float64) / count(*) as mean_pct from spans
),
paired as (
  select
    h.market,
    count(*) as n,
    cast(sum(cast(h.step as bignumeric(18, 10))) as float64) as sx,
    cast(sum(cast(a.step as bignumeric(18, 10))) as float64) as sy,
    cast(sum(cast(h.step * h.step as bignumeric(28, 18))) as float64) as sxx,
    cast(sum(cast(a.step * a.step as bignumeric(28, 18))) as float64) as syy,
    cast(sum(cast(h.step * a.step as bignumeric(28, 18))) as float64) as sxy
  from hourly h
  join hourly a on a.hour = h.hour and a.market = @anchor
  group by h.market
),
correlated as (
  select
    market,
    case
      when n >= 12 and n * sxx - sx * sx > 1e-18 and n * syy - sy * sy > 1e-18
      then round((n * sxy - sx * sy) / sqrt((n * sxx - sx * sx) * (n * syy - sy * sy)), 4)
    end as correlation
  from paired
),
measured as (
  select
    s.market, s.hours, s.return_pct,
    round(s.return_pct - f.mean_pct, 4) as relative_pct,
    c.correlation
  from spans s
  cross join field f
  left join correlated c on c.market = s.market
),
ranked as (
  select *, row_number() over (
    order by case when @by_correlation then case when market = @anchor then 2 else correlation end else return_pct end desc nulls last, market
  ) as rank
  from measured
)
select rank, market, return_pct, relative_pct, correlation, hours
from ranked
where rank <= @top or market = @anchor
order by rank
