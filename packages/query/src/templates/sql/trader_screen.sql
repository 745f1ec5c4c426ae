-- Accounts by what they did in the window: realised profit less fees, win rate of closing fills, and the deepest fall of that profit from its peak.
with days as (
  select
    account, day,
    sum(pnl) - sum(fees) as net,
    sum(fees) as fees,
    sum(volume) as volume,
    sum(trades) as trades,
    sum(closes) as closes,
    sum(wins) as wins
  from trader_day
  where day >= $from_day and day < $to_day
    and (array_length($coins) = 0 or list_contains($coins, market))
    and (array_length($accounts) = 0 or list_contains($accounts, account))
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
    sum(net) as net, sum(fees) as fees, sum(volume) as volume,
    sum(trades) as trades, sum(closes) as closes, sum(wins) as wins,
    max(peak - standing) as fall,
    max(peak) as top_standing
  from peaks
  group by account
),
measured as (
  select
    account, active_days, trades,
    round(cast(net as double), 2) as pnl_usd,
    round(cast(fees as double), 2) as fees_usd,
    round(cast(volume as double), 2) as volume_usd,
    case when closes > 0 then round(cast(wins as double) / cast(closes as double) * 100, 2) end as win_rate_pct,
    round(cast(fall as double), 2) as drawdown_usd,
    case when top_standing > 0 then round(cast(fall as double) / cast(top_standing as double) * 100, 2) end as drawdown_pct
  from summed
),
ranked as (
  select *, row_number() over (order by case when $way = 'down' then -pnl_usd else pnl_usd end desc, account) as rank
  from measured
  where coalesce(pnl_usd >= $pnl_usd_min, true) and coalesce(pnl_usd > $pnl_usd_above, true)
    and coalesce(pnl_usd <= $pnl_usd_max, true) and coalesce(pnl_usd < $pnl_usd_below, true)
    and coalesce(volume_usd >= $volume_usd_min, true) and coalesce(volume_usd > $volume_usd_above, true)
    and coalesce(trades >= $trades_min, true) and coalesce(trades > $trades_above, true)
    and coalesce(trades <= $trades_max, true) and coalesce(trades < $trades_below, true)
    and coalesce(win_rate_pct >= $win_rate_pct_min, $win_rate_pct_min is null)
    and coalesce(win_rate_pct > $win_rate_pct_above, $win_rate_pct_above is null)
    and coalesce(win_rate_pct <= $win_rate_pct_max, $win_rate_pct_max is null)
    and coalesce(win_rate_pct < $win_rate_pct_below, $win_rate_pct_below is null)
    and coalesce(drawdown_pct >= $drawdown_pct_min, $drawdown_pct_min is null)
    and coalesce(drawdown_pct > $drawdown_pct_above, $drawdown_pct_above is null)
    and coalesce(drawdown_pct <= $drawdown_pct_max, $drawdown_pct_max is null)
    and coalesce(drawdown_pct < $drawdown_pct_below, $drawdown_pct_below is null)
)
select rank, account, pnl_usd, win_rate_pct, trades, volume_usd, fees_usd, drawdown_usd, drawdown_pct, active_days
from ranked
where rank <= $top
order by rank
