import { type Answer, jsonText, linkText, type ServiceRequest, selfOf } from '../request.ts';
import { mostSkipped } from '../store/positions.ts';
import { type FoundRecord, recordPositions } from '../store/records.ts';

const mostPageBytes = 4 * 1024 * 1024;

export interface Paging {
  limit: number;
  recordsBefore: number;
}

export function recordPage(
  request: ServiceRequest,
  { records, more }: { records: FoundRecord[]; more: boolean },
  paging: Paging,
  textOf: (record: FoundRecord) => string,
): Answer {
  return page(request, records.map(textOf), paging, (sent) => {
    const last = records[sent - 1];
    return last && (more || sent < records.length)
      ? recordPositions.write([last.at, last.position], paging.recordsBefore + sent)
      : undefined;
  });
}

/** `records` contains JSON texts, because `JSON.parse` would lose digits of large numbers. */
export function page(
  request: ServiceRequest,
  records: string[],
  { limit, recordsBefore }: Paging,
  positionAfter: (sent: number) => string | undefined,
): Answer {
  let bytes = 0;
  const firstLeft = records.findIndex((record, index) => {
    bytes += Buffer.byteLength(record);
    return bytes > mostPageBytes && index > 0;
  });
  const sent = firstLeft < 0 ? records : records.slice(0, firstLeft);
  const self = selfOf(request);
  const after = positionAfter(sent.length);
  const before = Math.max(0, recordsBefore - limit);
  const links = {
    self,
    ...(recordsBefore > 0 &&
      before <= mostSkipped && { prev: neighbour(self, limit, 'offset', `${before}`) }),
    ...(after !== undefined && { next: neighbour(self, limit, 'after', after) }),
  };
  const texts = Object.entries(links).map(([name, url]) => [name, linkText(request, url)]);
  return jsonText(`{"data":[${sent.join(',')}],"links":${JSON.stringify(Object.fromEntries(texts))}}`);
}

function neighbour(self: URL, limit: number, by: 'offset' | 'after', value: string): URL {
  const page = new URL(self);
  page.searchParams.set('limit', `${limit}`);
  page.searchParams.delete(by === 'offset' ? 'after' : 'offset');
  page.searchParams.set(by, value);
  return page;
}
