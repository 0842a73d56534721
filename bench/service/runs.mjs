// The list of runs, some 300 bytes each, in pages of the shape that the embedded service gives.

const failure =
  'TypeError: Cannot read properties of undefined (reading "items") at summarise (line 42), called by the schedule, attempt 3 of 3: gave up';

/** @param {number} index */
function runAt(index) {
  const hex = (index + 1).toString(16).padStart(12, '0');
  const startedAt = Date.UTC(2026, 0, 31) - index * 60_000;
  return {
    id: `5f0c9a7e-1b2d-4c3e-8f4a-${hex}`,
    val: { id: `0a1b2c3d-4e5f-4a6b-9c7d-${hex}`, name: `measuredVal${index % 50}`, version: 1 + (index % 9) },
    runStartAt: new Date(startedAt).toISOString(),
    runEndAt: new Date(startedAt + 1 + (index % 997)).toISOString(),
    error: index % 2 === 0 ? failure : null,
  };
}

/**
 * @param {string} baseUrl
 * @param {number} total
 * @param {boolean} makesPages makes each page anew; otherwise all are ready beforehand
 */
export function createRunList(baseUrl, total, makesPages) {
  /** @param {number} limit @param {number} offset */
  function makePage(limit, offset) {
    const link = (/** @type {number} */ at) => `${baseUrl}/v1/me/runs?limit=${limit}&offset=${at}`;
    const end = Math.min(total, offset + limit);
    const data = Array.from({ length: Math.max(0, end - offset) }, (_, index) => runAt(offset + index));
    return jsonAnswer({ data, links: { self: link(offset), ...(end < total && { next: link(end) }) } });
  }
  if (makesPages) return makePage;

  /** @type {Map<string, Buffer>} */
  const ready = new Map();
  /** @param {number} limit @param {number} offset */
  function readyPage(limit, offset) {
    const key = `${limit} ${offset}`;
    const page = ready.get(key) ?? makePage(limit, offset);
    ready.set(key, page);
    return page;
  }
  for (let offset = 0; offset < total; offset += 100) readyPage(100, offset);
  return readyPage;
}

/**
 * @param {unknown} body
 * @param {string} [status]
 * @returns {Buffer} a whole answer, head and body, so that sending it is one write
 */
export function jsonAnswer(body, status = '200 OK') {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  return Buffer.from(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${text}`,
  );
}
