import { mostPageBytes } from '../limits.ts';
import { jsonText, type ServiceReply, type ServiceRequest, selfOf } from '../request.ts';
import { type ListPart, nextOf, type Positions, type Range } from '../store/positions.ts';

/** `jsonOf` gives the JSON of an item. A page of large records is shorter than the limit. */
export function listReply<Item, Position extends readonly (string | number)[]>(
  request: ServiceRequest,
  page: ListPart<Item, Position>,
  { limit }: Range<unknown>,
  { positions, jsonOf }: { positions: Positions<Position>; jsonOf(item: Item): string },
): ServiceReply {
  const texts = page.items.map(({ item }) => jsonOf(item));
  const count = countInPage(texts);
  const isCut = count < texts.length;
  const next = nextOf(isCut ? { items: page.items.slice(0, count), more: true } : page, positions);
  const self = selfOf(request);
  const links = {
    self: self.href,
    ...(next !== undefined && { next: nextPage(self, limit, next) }),
  };
  return jsonText(`{"data":[${texts.slice(0, count).join(',')}],"links":${JSON.stringify(links)}}`);
}

function countInPage(records: string[]): number {
  let bytes = 0;
  const firstLeft = records.findIndex((record, index) => {
    bytes += Buffer.byteLength(record);
    return bytes > mostPageBytes && index > 0;
  });
  return firstLeft < 0 ? records.length : firstLeft;
}

function nextPage(self: URL, limit: number, after: string): string {
  const page = new URL(self);
  page.searchParams.set('limit', `${limit}`);
  page.searchParams.delete('offset');
  page.searchParams.set('after', after);
  return page.href;
}
