-- Days of accounts whose traded volume stood far out of the account's own days before the window, ten of them at least.
with days as (
  select
    account, day,
    cast(sum(volume) as double) as volume,
    cast(sum(pnl) as double) as pnl,
    sum(trades) as trades
  from trader_day
  where day < $to_day
    and (array_length($coins) = 0 or list_contains($coins, market))
    and (array_length($accounts) = 0 or list_contains($accounts, account))
  group by account, day
),
before as (
  select
    account,
    count(*) as n,
    cast(sum(cast(volume as decimal(28, 6))) as double) / count(*) as mean,
    cast(sum(cast(round(volume / 1000, 6) * round(volume / 1000, 6) as decimal(38, 8))) as double) / count(*) as mean_square
  from days
  where day < $from_day
  group by account
  having count(*) >= 10
),
scored as (
  select
    d.account, d.day, d.volume, d.pnl, d.trades, b.mean,
    (d.volume - b.mean) / greatest(sqrt(greatest(b.mean_square * 1000000 - b.mean * b.mean, 0)), b.mean / 100, 0.01) as z
  from days d
  join before b on b.account = d.account
  where d.day >= $from_day
),
measured as (
  select
    account, day, trades,
    round(z, 2) as z,
    round(volume, 2) as volume_usd,
    case when mean > 0 then round(volume / mean, 2) end as times_usual,
    round(pnl, 2) as pnl_usd
  from scored
),
ranked as (
  select *, row_number() over (order by z desc, account, day) as rank
  from measured
  where z >= coalesce($z_min, $z_default) and coalesce(z > $z_above, true)
)
select rank, account, day, z, times_usual, volume_usd, pnl_usd, trades
from ranked
where rank <= $top
order by rank
