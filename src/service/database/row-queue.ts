import { createSlots } from '../../lib/slots.ts';
import { createCallerSlots } from '../caller-slots.ts';
import { DatabaseFailure, type WriteFacts } from './database.ts';

interface Limits {
  connections: number;
  connectionsPerPerson: number;
  waitingPerRow: number;
  waitMs: number;
}

/**
 * Lets only one write per row, and only some writes of one person, take a connection, so that waiting writes do not
 * take all connections.
 */
export function createRowQueue({ connections, connectionsPerPerson, waitingPerRow, waitMs }: Limits) {
  const rows = new Map<string, (() => void)[]>();
  const freeConnections = createSlots(connections);
  const slotsOfPerson = createCallerSlots(connectionsPerPerson);
  let underWay = 0;
  let withConnection = 0;

  async function waitForRow(row: string): Promise<void> {
    const queue = rows.get(row);
    if (!queue) {
      rows.set(row, []);
      return;
    }
    if (queue.length >= waitingPerRow) throw busy('too many writes wait for this row');
    const start = performance.now();
    await new Promise<void>((resolve) => queue.push(resolve));
    if (performance.now() - start > waitMs) {
      leave(row);
      throw busy('the row was not free in time');
    }
  }

  function leave(row: string): void {
    const next = rows.get(row)?.shift();
    if (next) next();
    else rows.delete(row);
  }

  async function inRow<Result>(row: string | undefined, work: () => Promise<Result>): Promise<Result> {
    if (row === undefined) return work();
    await waitForRow(row);
    try {
      return await work();
    } finally {
      leave(row);
    }
  }

  const ofPerson = <Result>(person: string | undefined, work: () => Promise<Result>): Promise<Result> =>
    person === undefined ? work() : slotsOfPerson(person).run(work);

  return {
    waiting: () => underWay - withConnection,
    async run<Result>({ person, row }: WriteFacts, work: () => Promise<Result>): Promise<Result> {
      const workCounted = async () => {
        withConnection += 1;
        try {
          return await work();
        } finally {
          withConnection -= 1;
        }
      };
      underWay += 1;
      try {
        return await inRow(row, () => ofPerson(person, () => freeConnections.run(workCounted)));
      } finally {
        underWay -= 1;
      }
    },
  };
}

const busy = (reason: string) => new DatabaseFailure('busy', new Error(reason));
