-- Accounts under stress: the fall of realised profit from its peak as a share of the largest position, losing days, and how much is in one market.
-- The score runs from 0 to 10: six parts the fall (full at 20 %), three losing days, one concentration.
with priced as (
  select t.account, t.market, t.day, t.pnl, t.fees, t.volume, abs(cast(t.end_position as float64)) * cast(c.close as float64) as held
  from trader_day t
  left join (select market, max_by(close, hour) as close from candle where hour < @to_hour group by market) c on c.market = t.market
  where t.day >= @from_day and t.day < @to_day
    and (array_length(@coins) = 0 or t.market in unnest(@coins))
    and (array_length(@accounts) = 0 or t.account in unnest(@accounts))
),
days as (
  select account, day, sum(pnl) - sum(fees) as net, sum(volume) as volume, max(held) as held
  from priced
  group by account, day
),
curves as (
  select *, sum(net) over (partition by account order by day rows between unbounded preceding and current row) as standing
  from days
),
peaks as (
  select *, greatest(max(standing) over (partition by account order by day rows between unbounded preceding and current row), 0) as peak
  from curves
),
summed as (
  select
    account,
    count(*) as active_days,
    sum(case when net < 0 then 1 else 0 end) as losing_days,
    sum(net) as net,
    max(peak - standing) as fall,
    max(coalesce(held, 0)) as largest_held,
    max(volume) as busiest_day
  from peaks
  group by account
),
markets as (
  select account, max(volume) as in_one, sum(volume) as in_all
  from (select account, market, sum(volume) as volume from priced group by account, market)
  group by account
),
measured as (
  select
    s.account, s.active_days, s.losing_days,
    round(cast(s.net as float64), 2) as pnl_usd,
    round(cast(s.fall as float64), 2) as drawdown_usd,
    round(cast(s.fall as float64) / greatest(s.largest_held, cast(s.busiest_day as float64) / 2, 1) * 100, 2) as drawdown_pct,
    round(cast(s.losing_days as float64) / cast(s.active_days as float64) * 100, 1) as losing_days_pct,
    round(cast(m.in_one as float64) / cast(m.in_all as float64) * 100, 1) as in_one_market_pct
  from summed s
  join markets m on m.account = s.account
),
scored as (
  select *,
    round(least(drawdown_pct / 20, 1) * 6 + losing_days_pct / 100 * 3 + in_one_market_pct / 100, 2) as risk_score
  from measured
),
ranked as (
  select *, row_number() over (order by risk_score desc, drawdown_usd desc, account) as rank
  from scored
  where coalesce(drawdown_pct >= @drawdown_pct_min, true) and coalesce(drawdown_pct > @drawdown_pct_above, true)
    and coalesce(drawdown_pct <= @drawdown_pct_max, true) and coalesce(drawdown_pct < @drawdown_pct_below, true)
    and coalesce(risk_score >= @risk_score_min, true) and coalesce(risk_score > @risk_score_above, true)
    and coalesce(risk_score <= @risk_score_max, true) and coalesce(risk_score < @risk_score_below, true)
)
select rank, account, risk_score, drawdown_pct, drawdown_usd, losing_days_pct, in_one_market_pct, pnl_usd, active_days
from ranked
where rank <= @top
order by rank
