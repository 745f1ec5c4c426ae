-- The accounts whose profile lies nearest to one account's: win rate, size of a trade, pace, share of buying, spread over markets, each against how much it varies.
with profiles as (
  select
    user as account,
    cast(count(*) as double) / count(distinct time_ms // 86400000) as pace,
    ln(1 + cast(sum(cast(price as decimal(18, 8)) * cast(size as decimal(20, 6))) as double) / count(*)) as size,
    cast(sum(case when side = 'buy' then 1 else 0 end) as double) / count(*) as buying,
    cast(count(distinct market) as double) as markets,
    cast(sum(case when closed_pnl > 0 then 1 else 0 end) as double) / greatest(sum(case when closed_pnl <> 0 then 1 else 0 end), 1) as winning,
    cast(sum(case when crossed then 1 else 0 end) as double) / count(*) as taking
  from fill
  where user is not null
    and time_ms >= $from_hour * 3600000 and time_ms < $to_hour * 3600000
    and (array_length($coins) = 0 or list_contains($coins, market))
  group by user
),
rounded as (
  select
    account,
    cast(round(ln(1 + pace), 6) as decimal(18, 6)) as pace,
    cast(round(size, 6) as decimal(18, 6)) as size,
    cast(round(buying, 6) as decimal(18, 6)) as buying,
    cast(round(ln(1 + markets), 6) as decimal(18, 6)) as markets,
    cast(round(winning, 6) as decimal(18, 6)) as winning,
    cast(round(taking, 6) as decimal(18, 6)) as taking
  from profiles
),
varied as (
  select
    greatest(sqrt(greatest(cast(sum(pace * pace) as double) / count(*) - cast(sum(pace) as double) / count(*) * cast(sum(pace) as double) / count(*), 0)), 0.05) as pace,
    greatest(sqrt(greatest(cast(sum(size * size) as double) / count(*) - cast(sum(size) as double) / count(*) * cast(sum(size) as double) / count(*), 0)), 0.05) as size,
    greatest(sqrt(greatest(cast(sum(buying * buying) as double) / count(*) - cast(sum(buying) as double) / count(*) * cast(sum(buying) as double) / count(*), 0)), 0.05) as buying,
    greatest(sqrt(greatest(cast(sum(markets * markets) as double) / count(*) - cast(sum(markets) as double) / count(*) * cast(sum(markets) as double) / count(*), 0)), 0.05) as markets,
    greatest(sqrt(greatest(cast(sum(winning * winning) as double) / count(*) - cast(sum(winning) as double) / count(*) * cast(sum(winning) as double) / count(*), 0)), 0.05) as winning,
    greatest(sqrt(greatest(cast(sum(taking * taking) as double) / count(*) - cast(sum(taking) as double) / count(*) * cast(sum(taking) as double) / count(*), 0)), 0.05) as taking
  from rounded
),
distances as (
  select
    o.account,
    p.pace as trades_a_day, exp(p.size) - 1 as trade_usd, p.winning, p.markets,
    round(sqrt(
      (cast(o.pace - s.pace as double) / v.pace) * (cast(o.pace - s.pace as double) / v.pace)
      + (cast(o.size - s.size as double) / v.size) * (cast(o.size - s.size as double) / v.size)
      + (cast(o.buying - s.buying as double) / v.buying) * (cast(o.buying - s.buying as double) / v.buying)
      + (cast(o.markets - s.markets as double) / v.markets) * (cast(o.markets - s.markets as double) / v.markets)
      + (cast(o.winning - s.winning as double) / v.winning) * (cast(o.winning - s.winning as double) / v.winning)
      + (cast(o.taking - s.taking as double) / v.taking) * (cast(o.taking - s.taking as double) / v.taking)
    ), 4) as distance
  from rounded o
  join rounded s on list_contains($accounts, s.account) and s.account <> o.account
  join profiles p on p.account = o.account
  cross join varied v
),
ranked as (
  select
    account, distance,
    round(1 / (1 + distance), 4) as similarity,
    round(trades_a_day, 2) as trades_a_day,
    round(trade_usd, 2) as trade_usd,
    round(winning * 100, 2) as win_rate_pct,
    cast(markets as bigint) as markets,
    row_number() over (order by distance, account) as rank
  from distances
)
select rank, account, similarity, distance, trades_a_day, trade_usd, win_rate_pct, markets
from ranked
where rank <= $top
order by rank
