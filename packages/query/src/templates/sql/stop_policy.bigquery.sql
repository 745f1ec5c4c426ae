-- What accounts would have kept had every losing close been stopped: a loss of more than the stop, as a share of what was closed, counts as the stop.
with closes as (
  select
    user as account,
    cast(closed_pnl as bignumeric(28, 8)) as pnl,
    cast(price as bignumeric(18, 8)) * cast(size as bignumeric(20, 6)) as worth
  from fill
  where user is not null and closed_pnl is not null and closed_pnl <> 0
    and time_ms >= @from_hour * 3600000 and time_ms < @to_hour * 3600000
    and (array_length(@coins) = 0 or market in unnest(@coins))
    and (array_length(@accounts) = 0 or user in unnest(@accounts))
),
limited as (
  select
    account, pnl,
    case when cast(pnl as float64) < -cast(worth as float64) * @stop_pct / 100 then 1 else 0 end as stopped,
    cast(round(case when cast(pnl as float64) < -cast(worth as float64) * @stop_pct / 100 then -cast(worth as float64) * @stop_pct / 100 else cast(pnl as float64) end, 6) as bignumeric(28, 8)) as kept
  from closes
),
summed as (
  select account, sum(pnl) as pnl, sum(kept) as kept, sum(stopped) as stopped, count(*) as closed
  from limited
  group by account
),
ranked as (
  select
    account, closed, stopped,
    round(cast(pnl as float64), 2) as pnl_usd,
    round(cast(kept as float64), 2) as pnl_with_stop_usd,
    round(cast(kept as float64) - cast(pnl as float64), 2) as difference_usd,
    row_number() over (order by cast(kept as float64) - cast(pnl as float64) desc, account) as rank
  from summed
)
select rank, account, pnl_usd, pnl_with_stop_usd, difference_usd, stopped, closed
from ranked
where rank <= @top
order by rank
