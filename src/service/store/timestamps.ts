const timestampForm = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d)?(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?)?$/;
/** RFC 3339 has no hour 24, which ISO 8601 has. */
const fullTimestamp = /^\d{4}-\d\d-\d\dT(?!24)\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

export const now = (): string => new Date().toISOString();

/** The time of a record as text that sorts by time, with nanoseconds and in UTC. */
export function sortableTime(text: string): string | undefined {
  const match = timestampForm.exec(text);
  if (!match) return undefined;
  const [, date, minutes = '00:00', seconds = ':00', fraction = '', zone = 'Z'] = match;
  const time = new Date(`${date}T${minutes}${seconds}${zone}`);
  const isDay = (day: Date) => !Number.isNaN(day.getTime()) && day.toISOString().startsWith(`${date}`);
  if (!isDay(new Date(`${date}T00:00:00Z`)) || Number.isNaN(time.getTime())) return undefined;
  const utc = time.toISOString();
  // A year beyond 9999 begins with a sign, and would be sorted before all other years.
  return /^\d/.test(utc) ? `${utc.slice(0, 19)}.${fraction.padEnd(9, '0')}Z` : undefined;
}

/** A timestamp as RFC 3339 wants it. A date alone is midnight in UTC. */
export function timestampOf(text: string): string | undefined {
  const sortable = sortableTime(text);
  if (sortable === undefined) return undefined;
  return fullTimestamp.test(text) ? text : new Date(sortable).toISOString();
}
