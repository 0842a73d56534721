// ISO 8601 timestamps as text that sorts by time, to any precision up to the nanosecond.

const timestampForm = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d)?(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?)?$/;

/** Undefined if the text is no timestamp. A date alone means midnight; without a zone the time is UTC. */
export function sortableTime(text: string): string | undefined {
  const match = timestampForm.exec(text);
  if (!match) return undefined;
  const [, date, minutes = '00:00', seconds = ':00', fraction = '', zone = 'Z'] = match;
  const time = new Date(`${date}T${minutes}${seconds}${zone}`);
  // Date accepts February 30th and makes it March 1st.
  const isDay = (day: Date) => !Number.isNaN(day.getTime()) && day.toISOString().startsWith(`${date}`);
  if (!isDay(new Date(`${date}T00:00:00Z`)) || Number.isNaN(time.getTime())) return undefined;
  return `${time.toISOString().slice(0, 19)}.${fraction.padEnd(9, '0')}Z`;
}
