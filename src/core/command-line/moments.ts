import { InvalidValue } from '../errors.ts';

const unitMs: Record<string, number> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const isoForm = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/i;

export function parseAge(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d+)([smhdw])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (unitMs[unit] ?? 0);
}

export function parseMoment(text: string, now = Date.now()): string {
  if (text === 'now') return new Date(now).toISOString();
  const age = parseAge(text);
  const iso = isoForm.exec(text);
  let time = Number.NaN;
  if (age !== undefined) {
    time = now - age;
  } else if (iso) {
    // Without a zone, a time is local, as the screens show it.
    const [, year, month, day, clock = '00:00', zone = ''] = iso;
    // The day must be checked, because Date.parse would read 30 February as 2 March.
    const exists =
      new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
    if (exists) time = Date.parse(`${year}-${month}-${day}T${clock}${zone.toUpperCase()}`);
  }
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) {
    throw new InvalidValue(
      `takes a time, not "${text}".`,
      'Use ISO 8601 (2026-01-31, 2026-01-31 09:30 or 2026-01-31T09:30:00Z), now, or an age: 90s, 30m, 2h, 7d, 1w.',
    );
  }
  return date.toISOString();
}
