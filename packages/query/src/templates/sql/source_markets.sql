-- Every market that has a row in some table.
select market
from (
  select market from candle
  union all select market from funding
  union all select market from asset_context
  union all select market from fill
  union all select market from liquidation
)
group by market
order by market
