-- What the source has: rows of each table, their first and last hour, and how many of them carry each optional column.
select 'candle' as table_name, count(*) as n, min(hour) as first_hour, max(hour) as last_hour, count(volume) as a, 0 as b, 0 as c
from candle
union all
select 'funding', count(*), min(hour), max(hour), count(premium), 0, 0 from funding
union all
select 'asset_context', count(*), min(div(time_ms, 3600000)), max(div(time_ms, 3600000)), count(open_interest),
  count(coalesce(premium, mark)), count(impact_bid)
from asset_context
union all
select 'fill', count(*), min(div(time_ms, 3600000)), max(div(time_ms, 3600000)), count(user), count(start_position), count(closed_pnl)
from fill
union all
select 'liquidation', count(*), min(div(time_ms, 3600000)), max(div(time_ms, 3600000)), count(user), 0, 0 from liquidation
order by table_name
