/** Funding is compared per hour; 8 hours and a year are so many of them. */
export function hourlyFunding(metric: string, value: number): number | undefined {
  if (metric === "funding_hourly_pct") return value;
  if (metric === "funding_8h_pct") return Number((value / 8).toPrecision(12));
  return metric === "funding_apr_pct" ? Number((value / 8760).toPrecision(12)) : undefined;
}
