-- Who repeats whom: the daily net of one account in a market against another's, 1 or 3 days earlier; only where they go together.
-- Nets count by their logarithm with their sign, so that one huge day decides nothing.
with nets as (
  select
    user as account, market, div(time_ms, 86400000) as day,
    cast(sum(case when side = 'buy' then 1 else -1 end * cast(price as bignumeric(18, 8)) * cast(size as bignumeric(19, 6))) as float64) as dollars
  from fill
  where user is not null
    and time_ms >= @from_day * 86400000 and time_ms < @to_day * 86400000
    and (array_length(@coins) = 0 or market in unnest(@coins))
  group by user, market, div(time_ms, 86400000)
),
flows as (
  select account, market, day, round(sign(dollars) * ln(1 + abs(dollars)), 4) as net
  from nets
),
lags as (
  select lag_days from (select 1 as lag_days union all select 3 as lag_days union all select cast(@lag_days as int64) as lag_days)
  where @lag_days is null or lag_days = @lag_days
  group by lag_days
),
paired as (
  select
    l.account as leader, f.account as follower, l.market, g.lag_days,
    count(*) as days,
    cast(sum(cast(l.net as bignumeric(19, 4))) as float64) as sx,
    cast(sum(cast(f.net as bignumeric(19, 4))) as float64) as sy,
    cast(sum(cast(l.net as bignumeric(19, 4)) * cast(l.net as bignumeric(19, 4))) as float64) as sxx,
    cast(sum(cast(f.net as bignumeric(19, 4)) * cast(f.net as bignumeric(19, 4))) as float64) as syy,
    cast(sum(cast(l.net as bignumeric(19, 4)) * cast(f.net as bignumeric(19, 4))) as float64) as sxy
  from lags g
  cross join flows l
  join flows f on f.market = l.market and f.day = l.day + g.lag_days and f.account <> l.account
  where g.lag_days is not null
  group by l.account, f.account, l.market, g.lag_days
  having count(*) >= 15
),
correlated as (
  select
    leader, follower, market, lag_days, days,
    round((days * sxy - sx * sy) / sqrt((days * sxx - sx * sx) * (days * syy - sy * sy)), 4) as correlation
  from paired
  where days * sxx - sx * sx > 0 and days * syy - sy * sy > 0
),
ranked as (
  select *, row_number() over (order by correlation desc, leader, follower, market, lag_days) as rank
  from correlated
  where correlation >= 0.85
    and (array_length(@accounts) = 0 or leader in unnest(@accounts) or follower in unnest(@accounts))
    and (array_length(@accounts) < 2 or (leader in unnest(@accounts) and follower in unnest(@accounts)))
)
select rank, leader, follower, market, lag_days, correlation, days
from ranked
where rank <= @top
order by rank
