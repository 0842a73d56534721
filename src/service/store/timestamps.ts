const form = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?(?:\.\d{1,9})?)(Z|[+-]\d\d:\d\d))?$/;

export const now = (): string => new Date().toISOString();

/** The time in UTC. RFC 3339 takes `t` and `z` too. A date alone is midnight in UTC. */
export function timestampOf(given: string): string | undefined {
  const [, date = '', time = '00:00', zone = 'Z'] = form.exec(given.toUpperCase()) ?? [];
  const [day, moment] = [new Date(`${date}T00:00Z`), new Date(`${date}T${time}${zone}`)];
  if (Number.isNaN(day.getTime()) || Number.isNaN(moment.getTime())) return undefined;
  const utc = moment.toISOString();
  // A date of JavaScript may be a 30th of February, or in a year beyond 9999, which begins with a sign.
  return day.toISOString().startsWith(date) && /^\d/.test(utc) ? utc : undefined;
}
