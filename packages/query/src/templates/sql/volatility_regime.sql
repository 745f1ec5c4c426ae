-- Realised volatility of hourly moves, a year's worth, against the thirty days before the window; and the range of the window.
with steps as (
  select market, hour, high, low, open, round(cast(close as double) / cast(open as double) - 1, 10) as step
  from candle
  where hour >= $from_hour - 720 and hour < $to_hour
    and (array_length($coins) = 0 or list_contains($coins, market))
),
inside as (
  select
    market,
    count(*) as hours,
    cast(sum(cast(step as decimal(18, 10))) as double) as s,
    cast(sum(cast(step * step as decimal(28, 18))) as double) as ss,
    cast(max(high) as double) as highest,
    cast(min(low) as double) as lowest,
    cast(min_by(open, hour) as double) as first_price,
    string_agg(case when mod(hour - $from_hour, $step_hours) = 0 then cast(abs(step) as varchar) end, ',' order by hour) as trend
  from steps
  where hour >= $from_hour
  group by market
),
before as (
  select
    market,
    count(*) as hours,
    cast(sum(cast(step as decimal(18, 10))) as double) as s,
    cast(sum(cast(step * step as decimal(28, 18))) as double) as ss
  from steps
  where hour < $from_hour
  group by market
),
measured as (
  select
    w.market, w.hours, w.trend,
    case when w.hours >= 2 then round(sqrt(greatest(w.ss - w.s * w.s / w.hours, 0) / (w.hours - 1)) * sqrt(8760) * 100, 3) end as volatility_pct,
    case when b.hours >= 48 then round(sqrt(greatest(b.ss - b.s * b.s / b.hours, 0) / (b.hours - 1)) * sqrt(8760) * 100, 3) end as usual_pct,
    round((w.highest - w.lowest) / w.first_price * 100, 4) as range_pct
  from inside w
  left join before b on b.market = w.market
),
judged as (
  select *,
    case when usual_pct > 0 then round(volatility_pct / usual_pct, 3) end as against_usual,
    case
      when usual_pct is null or usual_pct = 0 or volatility_pct is null then null
      when volatility_pct >= usual_pct * 1.5 then 'wild'
      when volatility_pct <= usual_pct / 1.5 then 'calm'
      else 'usual'
    end as regime
  from measured
),
ranked as (
  select *, row_number() over (
    order by case when $way = 'down' then -coalesce(volatility_pct, range_pct) else coalesce(volatility_pct, range_pct) end desc, market
  ) as rank
  from judged
  where coalesce(volatility_pct >= $volatility_pct_min, $volatility_pct_min is null)
    and coalesce(volatility_pct > $volatility_pct_above, $volatility_pct_above is null)
    and coalesce(volatility_pct <= $volatility_pct_max, $volatility_pct_max is null)
    and coalesce(volatility_pct < $volatility_pct_below, $volatility_pct_below is null)
)
select rank, market, volatility_pct, usual_pct, against_usual, regime, range_pct, hours, trend
from ranked
where rank <= $top
order by rank
