const units: [string, number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
];

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

const timeOf = (moment: string): number =>
  /^\d{4}-\d\d-\d\dT/.test(moment) ? Date.parse(moment) : Number.NaN;

function localDay(date: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export const isMoment = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/.test(text);

/** "5m ago", or "in 5m". A time that is further away than 30 days is a date. */
export function ago(moment: string, now: number): string {
  const time = timeOf(moment);
  if (Number.isNaN(time)) return moment;
  const seconds = Math.floor(Math.abs(now - time) / 1_000);
  if (seconds > 30 * 86_400) return localDay(new Date(time));
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? ['s', 1];
  const age = `${Math.floor(seconds / size)}${unit}`;
  return now >= time ? `${age} ago` : `in ${age}`;
}

const weekdays = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ');

export function ageOrHour(moment: string, now: number): string {
  const time = timeOf(moment);
  const days = (now - time) / 86_400_000;
  if (Number.isNaN(time) || days < 1) return ago(moment, now);
  const date = new Date(time);
  if (days < 6) return `${weekdays[date.getDay()]} ${date.toTimeString().slice(0, 5)}`;
  return clockTime(moment, now);
}

/** Used for lines that stay on the screen, because an age such as "5m ago" would soon be wrong. */
export function clockTime(moment: string, now: number): string {
  const time = timeOf(moment);
  if (Number.isNaN(time)) return moment;
  const date = new Date(time);
  const today = new Date(now);
  const clock = date.toTimeString();
  if (date.toDateString() === today.toDateString()) return clock.slice(0, 8);
  const day = `${date.getDate()} ${months[date.getMonth()]}`;
  return date.getFullYear() === today.getFullYear()
    ? `${day} ${clock.slice(0, 5)}`
    : `${day} ${date.getFullYear()}`;
}

export function wholeMoment(moment: string, now: number): string {
  const time = timeOf(moment);
  if (Number.isNaN(time)) return moment;
  const date = new Date(time);
  const age = ago(moment, now);
  return `${localDay(date)} ${date.toTimeString().slice(0, 8)}${age.includes(' ') ? ` (${age})` : ''}`;
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)}s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes}m ${Math.floor(ms / 1_000) % 60}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ${minutes % 60}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}
