import { DatabaseFailure, type WriteFacts } from './database.ts';

interface Limits {
  connections: number;
  connectionsPerPerson: number;
  waitingPerPersonAndRow: number;
  waitMs: number;
}

interface Write {
  row: string | undefined;
  begin(): void;
}

const nobody = '';

/**
 * Lets only one write per row, and only some writes of one person, take a connection, so that waiting writes do not
 * take all connections. A write that must wait for another write of its person does not hold its row meanwhile.
 */
export function createRowQueue({
  connections,
  connectionsPerPerson,
  waitingPerPersonAndRow,
  waitMs,
}: Limits) {
  const waiting = new Map<string, Write[]>();
  /** For each row, the persons who wait for it, in the order of their turns. */
  const turnsAtRow = new Map<string, string[]>();
  const rowsInUse = new Set<string>();
  const begunOfPerson = new Map<string, number>();
  let begun = 0;

  function mayBegin(person: string, row: string | undefined): boolean {
    // A person with many writes elsewhere has one more connection for rows that others wait for too. Otherwise, the
    // others would always be first.
    const most = connectionsPerPerson + (isShared(row) ? 1 : 0);
    return person === nobody || (begunOfPerson.get(person) ?? 0) < most;
  }

  const turnsOf = (row: string): string[] => turnsAtRow.get(row) ?? [];

  const isShared = (row: string | undefined): boolean => row !== undefined && turnsOf(row).length > 1;

  function isNext(person: string, { row }: Write): boolean {
    if (row === undefined) return mayBegin(person, row);
    return !rowsInUse.has(row) && turnsOf(row).find((other) => mayBegin(other, row)) === person;
  }

  function takeNext(): { person: string; write: Write } | undefined {
    for (const [person, writes] of waiting) {
      const ready = writes.filter((each) => isNext(person, each));
      // A write to a row that others wait for goes first, because the others wait for the turn of this person.
      const write = ready.find(({ row }) => isShared(row)) ?? ready[0];
      if (!write) continue;
      // The person goes to the end of the Map, so that others do not wait for all writes of the person.
      waiting.delete(person);
      const later = writes.filter((other) => other !== write);
      if (later.length > 0) waiting.set(person, later);
      // The turns at other rows end too. Otherwise, others would wait there until the person has no more writes elsewhere.
      for (const { row } of ready) if (row !== undefined) endTurn(person, row, later);
      return { person, write };
    }
    return undefined;
  }

  function endTurn(person: string, row: string, later: Write[]): void {
    const others = turnsOf(row).filter((other) => other !== person);
    const next = later.some((write) => write.row === row) ? [...others, person] : others;
    if (next.length > 0) turnsAtRow.set(row, next);
    else turnsAtRow.delete(row);
  }

  function beginWaiting(): void {
    while (begun < connections) {
      const next = takeNext();
      if (!next) return;
      const { person, write } = next;
      begun += 1;
      begunOfPerson.set(person, (begunOfPerson.get(person) ?? 0) + 1);
      if (write.row !== undefined) rowsInUse.add(write.row);
      write.begin();
    }
  }

  function end(person: string, row: string | undefined): void {
    begun -= 1;
    const left = (begunOfPerson.get(person) ?? 0) - 1;
    if (left > 0) begunOfPerson.set(person, left);
    else begunOfPerson.delete(person);
    if (row !== undefined) rowsInUse.delete(row);
    beginWaiting();
  }

  return {
    waiting: () => [...waiting.values()].flat().length,
    async run<Result>({ person = nobody, row }: WriteFacts, work: () => Promise<Result>): Promise<Result> {
      const isForRow = (write: Write) => row !== undefined && write.row === row;
      const ofPerson = waiting.get(person) ?? [];
      // Writes of others do not count, because the others could fill the row and keep this person from writing.
      if (ofPerson.filter(isForRow).length >= waitingPerPersonAndRow)
        throw busy('too many writes of one person wait for this row');
      const start = performance.now();
      await new Promise<void>((begin) => {
        waiting.set(person, [...ofPerson, { row, begin }]);
        if (row !== undefined && !turnsOf(row).includes(person))
          turnsAtRow.set(row, [...turnsOf(row), person]);
        beginWaiting();
      });
      try {
        if (performance.now() - start > waitMs) throw busy('the write could not begin in time');
        return await work();
      } finally {
        end(person, row);
      }
    },
  };
}

const busy = (reason: string) => new DatabaseFailure('busy', new Error(reason));
