-- The accounts whose address begins so; six are enough to say that a beginning is not unique.
select user as account
from fill
where user is not null and starts_with(lower(user), $beginning)
group by user
order by user
limit 6
