// How many days until a date: daysUntil('2030-01-01').
export default function daysUntil(date) {
  const millisecondsADay = 86_400_000;
  return Math.ceil((Date.parse(date) - Date.now()) / millisecondsADay);
}
