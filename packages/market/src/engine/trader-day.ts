/**
 * `trader_day`: what each account did in each market on each UTC day, from fills
 * whose account is known. Amounts are dollars; `day` counts days since 1970.
 *
 * A win is a fill that closed something at a profit. The end position is the one
 * after the last fill of the day, in units of the coin; a fill that does not say
 * with what position it started leaves it unknown.
 */
export const traderDaySelect = `select
  user as account,
  market,
  time_ms // 86400000 as day,
  sum(cast(coalesce(closed_pnl, 0) as decimal(28, 8))) as pnl,
  sum(cast(coalesce(fee, 0) as decimal(28, 8))) as fees,
  sum(cast(price as decimal(18, 8)) * cast(size as decimal(20, 6))) as volume,
  count(*) as trades,
  sum(case when closed_pnl <> 0 then 1 else 0 end) as closes,
  sum(case when closed_pnl > 0 then 1 else 0 end) as wins,
  max_by(
    start_position + case when side = 'buy' then size else -size end,
    concat(lpad(cast(time_ms as varchar), 15, '0'), lpad(coalesce(trade_id, ''), 24, '0'), lpad(coalesce(order_id, ''), 24, '0'))
  ) as end_position
from fill
where user is not null
group by user, market, time_ms // 86400000`;

export const traderDaySql = `create view trader_day as ${traderDaySelect}`;
