import { mostPageBytes } from '../limits.ts';
import { jsonText, type ServiceReply, type ServiceRequest, selfOf } from '../request.ts';
import { type Positions, runPositions } from '../store/positions.ts';
import type { FoundRun } from '../store/runs.ts';

export interface PageParameters {
  limit: number;
  after?: unknown;
}

/** `end` is the position of a record, for `links.next`. */
export function recordPage(
  request: ServiceRequest,
  { records, more }: { records: { json: string; end: string }[]; more: boolean },
  paging: PageParameters,
): ServiceReply {
  const texts = records.map(({ json }) => json);
  const count = countInPage(texts);
  const last = more || count < texts.length ? records[count - 1] : undefined;
  return page(request, texts.slice(0, count), paging, last?.end);
}

export const runPage = (
  request: ServiceRequest,
  { runs, more }: { runs: FoundRun[]; more: boolean },
  paging: PageParameters,
): ServiceReply =>
  recordPage(
    request,
    {
      records: runs.map(({ run, position }) => ({
        json: JSON.stringify(run),
        end: runPositions.write(position),
      })),
      more,
    },
    paging,
  );

/** For lists whose records are so short that a hundred of them are a small page. */
export function shortPage<Item>(
  request: ServiceRequest,
  { items, next }: { items: Item[]; next: readonly [number] | undefined },
  paging: PageParameters,
  { positions, recordOf }: { positions: Positions<readonly [number]>; recordOf(item: Item): object },
): ServiceReply {
  const texts = items.map((item) => JSON.stringify(recordOf(item)));
  return page(request, texts, paging, next && positions.write(next));
}

function countInPage(records: string[]): number {
  let bytes = 0;
  const firstLeft = records.findIndex((record, index) => {
    bytes += Buffer.byteLength(record);
    return bytes > mostPageBytes && index > 0;
  });
  return firstLeft < 0 ? records.length : firstLeft;
}

/** `records` contains JSON texts, as the database has them. */
function page(
  request: ServiceRequest,
  records: string[],
  { limit }: PageParameters,
  next: string | undefined,
): ServiceReply {
  const self = selfOf(request);
  const links = {
    self: self.href,
    ...(next !== undefined && { next: nextPage(self, limit, next) }),
  };
  return jsonText(`{"data":[${records.join(',')}],"links":${JSON.stringify(links)}}`);
}

function nextPage(self: URL, limit: number, after: string): string {
  const page = new URL(self);
  page.searchParams.set('limit', `${limit}`);
  page.searchParams.delete('offset');
  page.searchParams.set('after', after);
  return page.href;
}
