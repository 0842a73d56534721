// Reads answers in the place of undici's own parser, which is WebAssembly: that takes 6 ms to compile at each start, and
// wants ten gigabytes of addresses, which a machine with a limit on them does not give. The build puts it in, and a test
// holds both parsers to the same reading.

/** What undici is told, and what it answers: 0 to go on, else why not. */
interface Listener {
  wasm_on_message_begin(parser: AnswerParser): number;
  wasm_on_header_field(parser: AnswerParser, at: number, length: number): number;
  wasm_on_header_value(parser: AnswerParser, at: number, length: number): number;
  wasm_on_headers_complete(parser: AnswerParser, status: number, upgrade: number, keepAlive: number): number;
  wasm_on_body(parser: AnswerParser, at: number, length: number): number;
  wasm_on_message_complete(parser: AnswerParser): number;
}

const goOn = 0;
const broken = 1;
const paused = 21;
/** What undici may say of a head. */
const noBody = 1;

const [tab, lineFeed, carriageReturn, space, colon] = [9, 10, 13, 32, 58];
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t -~\x80-\xff]*)?\r\n$/;
const namePart = /^[\w!#$%&'*+.^`|~-]*$/;
const notInValue = /[^\t -~\x80-\xff]/;
const quoted = String.raw`"(?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"`;
const token = String.raw`[\w!#$%&'*+.^\x60|~-]+`;
const chunkLine = new RegExp(`^0*([\\da-f]{1,12})(?:;${token}(?:=(?:${token}|${quoted}))?)*\\r\\n$`, 'i');
/** Of a line that is kept until it has ended. */
const longestLine = 16_384;

/** Of one connection. */
class AnswerParser {
  code = goOn;
  reason = '';
  /** Up to where the bytes are read. */
  at = 0;
  private step: (bytes: Buffer, end: number) => number = this.between;
  private line = '';
  private name = '';
  private value = '';
  private status = 0;
  private isVersion10 = false;
  /** 100, which may come before any answer, and is not told. undici would refuse what it did not ask for. */
  private isInterim = false;
  private length: number | undefined;
  /** Of the body or the chunk. */
  private left = 0;
  private isEncoded = false;
  private isChunked = false;
  private isTrailer = false;
  private isBodyless = false;
  private connection = new Set<string>();

  constructor(private readonly listener: Listener) {}

  /** The bytes may hold more than is to be read, and an answer can end without another one. */
  execute(bytes: Buffer, at: number, end: number): number {
    this.at = at;
    while (this.code === goOn && (this.at < end || this.step === this.done)) {
      const from = this.at;
      this.code = this.step(bytes, end);
      // For whoever wants to see what was not understood.
      if (this.code === broken) this.at = from;
    }
    return this.code;
  }

  /** The connection has ended. */
  finish(): number {
    const isBetween = this.step === this.between && !this.isInterim;
    if (this.code !== goOn || isBetween || this.step === this.closed) return goOn;
    if (this.step === this.bodyToEnd) return this.done();
    return this.fail('Invalid EOF state');
  }

  private fail(reason: string): number {
    this.reason = reason;
    return broken;
  }

  private between(bytes: Buffer): number {
    const byte = bytes[this.at];
    if (byte === carriageReturn || byte === lineFeed) {
      this.at++;
      return goOn;
    }
    this.line = '';
    this.length = undefined;
    this.isEncoded = this.isChunked = this.isTrailer = this.isBodyless = false;
    this.connection.clear();
    this.step = this.statusLine;
    return this.isInterim ? goOn : this.listener.wasm_on_message_begin(this);
  }

  private statusLine(bytes: Buffer, end: number): number {
    const isWhole = this.readLine(bytes, end);
    if (!this.line.startsWith('HTTP/1.'.slice(0, this.line.length))) return this.fail('Expected HTTP/1.');
    if (!isWhole) return this.waitForLine();
    const [, minor, status] = statusLine.exec(this.line) ?? [];
    if (status === undefined) return this.fail('Invalid status line');
    this.isVersion10 = minor === '0';
    this.status = Number(status);
    this.isInterim = this.status === 100;
    this.step = this.header;
    return goOn;
  }

  private header(bytes: Buffer): number {
    if (bytes[this.at] === carriageReturn) {
      this.at++;
      this.step = this.headEnds;
    } else {
      this.name = '';
      this.step = this.headerName;
    }
    return goOn;
  }

  private headerName(bytes: Buffer, end: number): number {
    const start = this.at;
    const { stop, isFound } = this.find(colon, bytes, end);
    const part = bytes.toString('latin1', start, stop);
    this.name += part.toLowerCase();
    if (!namePart.test(part) || this.name === '') return this.fail('Invalid header name');
    if (this.name.length > longestLine) return this.fail('A header is too long');
    if (isFound) {
      this.value = '';
      this.at++;
      this.step = this.valueBegins;
    }
    return this.isInterim ? goOn : this.listener.wasm_on_header_field(this, start, stop - start);
  }

  private valueBegins(bytes: Buffer): number {
    if (isBlank(bytes[this.at])) this.at++;
    else this.step = this.headerValue;
    return goOn;
  }

  private headerValue(bytes: Buffer, end: number): number {
    const start = this.at;
    const { stop, isFound } = this.find(carriageReturn, bytes, end);
    const part = bytes.toString('latin1', start, stop);
    if (notInValue.test(part)) return this.fail('Invalid header value');
    this.value += part;
    if (this.value.length > longestLine) return this.fail('A header is too long');
    if (isFound) {
      this.at++;
      this.step = this.valueEnds;
    }
    return this.isInterim ? goOn : this.listener.wasm_on_header_value(this, start, stop - start);
  }

  private valueEnds(bytes: Buffer): number {
    if (bytes[this.at] !== lineFeed) return this.fail('Missing LF after a header');
    this.at++;
    this.step = this.header;
    return this.note(this.name, this.value.toLowerCase());
  }

  /** What matters to where the answer ends. */
  private note(name: string, value: string): number {
    if (name === 'content-length') {
      if (this.length !== undefined) return this.fail('Content-Length already present');
      if (!/^0*\d{1,15}[ \t]*$/.test(value)) return this.fail('Invalid Content-Length');
      this.length = Number(value);
    } else if (name === 'transfer-encoding') {
      this.isEncoded = true;
      this.isChunked = /(?:^|,)[ \t]*chunked[ \t]*$/.test(value);
    } else if (name === 'connection' || name === 'proxy-connection') {
      for (const option of value.split(',')) this.connection.add(option.trim());
    }
    const isAmbiguous = this.isEncoded && this.length !== undefined;
    return isAmbiguous ? this.fail('Content-Length beside Transfer-Encoding') : goOn;
  }

  private headEnds(bytes: Buffer): number {
    if (bytes[this.at] !== lineFeed) return this.fail('Missing LF after the headers');
    this.at++;
    this.step = this.isInterim ? this.between : this.done;
    if (this.isTrailer || this.isInterim) return goOn;
    if (this.status === 101) return this.fail('Another protocol, which was not asked for');
    this.isBodyless = this.status < 200 || this.status === 204 || this.status === 304;
    const keepAlive = Number(this.keepsAlive());
    const answer = this.listener.wasm_on_headers_complete(this, this.status, 0, keepAlive);
    this.isBodyless ||= answer === noBody;
    if (!this.isBodyless) this.expectBody();
    return answer === noBody ? goOn : answer;
  }

  private expectBody(): void {
    this.left = this.length ?? 0;
    if (this.isChunked) this.expectChunk();
    else if (this.length === undefined) this.step = this.bodyToEnd;
    else if (this.length > 0) this.step = this.body;
  }

  private body(_bytes: Buffer, end: number): number {
    const start = this.at;
    const length = Math.min(this.left, end - start);
    this.at += length;
    this.left -= length;
    if (this.left === 0) this.step = this.isChunked ? this.chunkEnds : this.done;
    return this.listener.wasm_on_body(this, start, length);
  }

  private bodyToEnd(_bytes: Buffer, end: number): number {
    const start = this.at;
    this.at = end;
    return this.listener.wasm_on_body(this, start, end - start);
  }

  private expectChunk(): void {
    this.line = '';
    this.step = this.chunkBegins;
  }

  private chunkBegins(bytes: Buffer, end: number): number {
    if (!this.readLine(bytes, end)) return this.waitForLine();
    const [, size] = chunkLine.exec(this.line) ?? [];
    if (size === undefined) return this.fail('Invalid chunk size');
    this.line = '';
    this.left = Number.parseInt(size, 16);
    this.isTrailer = this.left === 0;
    this.step = this.isTrailer ? this.header : this.body;
    return goOn;
  }

  private chunkEnds(bytes: Buffer, end: number): number {
    const isWhole = this.readLine(bytes, end);
    if (!'\r\n'.startsWith(this.line)) return this.fail('Expected CRLF after a chunk');
    if (isWhole) this.expectChunk();
    return goOn;
  }

  private done(): number {
    this.step = this.keepsAlive() ? this.between : this.closed;
    return this.listener.wasm_on_message_complete(this);
  }

  private closed(bytes: Buffer): number {
    const byte = bytes[this.at++];
    const isLineEnd = byte === carriageReturn || byte === lineFeed;
    return isLineEnd ? goOn : this.fail('Data after `Connection: close`');
  }

  private keepsAlive(): boolean {
    if (this.isVersion10 ? !this.connection.has('keep-alive') : this.connection.has('close')) return false;
    return this.isBodyless || this.isChunked || (this.length !== undefined && !this.isEncoded);
  }

  /** Takes what there is of a line, and says whether it has ended. */
  private readLine(bytes: Buffer, end: number): boolean {
    const start = this.at;
    const { stop, isFound } = this.find(lineFeed, bytes, end);
    if (isFound) this.at++;
    this.line += bytes.toString('latin1', start, isFound ? stop + 1 : stop);
    return isFound;
  }

  private waitForLine(): number {
    if (/\r./.test(this.line)) return this.fail('Missing LF after a line');
    return this.line.length > longestLine ? this.fail('A line is too long') : goOn;
  }

  /** Goes on to the next such byte. */
  private find(byte: number, bytes: Buffer, end: number): { stop: number; isFound: boolean } {
    const found = bytes.indexOf(byte, this.at);
    const isFound = found !== -1 && found < end;
    this.at = isFound ? found : end;
    return { stop: this.at, isFound };
  }
}

const isBlank = (byte: number | undefined): boolean => byte === space || byte === tab;

/** undici makes a module of the parser's bytes. */
export class Module {}

/** What undici calls, by its names. It names places in a memory, into which it copies what came. */
export class Instance {
  readonly exports;

  constructor(_module: Module, { env }: { env: Listener }) {
    /** In front of what came. */
    const roomForReason = 256;
    const reasonAt = 1;
    let bytes = Buffer.allocUnsafeSlow(roomForReason);
    const memory = { buffer: bytes.buffer };
    this.exports = {
      memory,
      malloc(size: number): number {
        bytes = Buffer.allocUnsafeSlow(roomForReason + size);
        memory.buffer = bytes.buffer;
        return roomForReason;
      },
      free() {},
      llhttp_alloc: () => new AnswerParser(env),
      llhttp_free() {},
      llhttp_execute: (parser: AnswerParser, at: number, length: number): number =>
        parser.execute(bytes, at, at + length),
      llhttp_finish: (parser: AnswerParser): number => parser.finish(),
      llhttp_resume(parser: AnswerParser): void {
        if (parser.code === paused) parser.code = goOn;
      },
      llhttp_get_error_pos: (parser: AnswerParser): number => parser.at,
      llhttp_get_error_reason(parser: AnswerParser): number {
        bytes.write(`${parser.reason}\0`, reasonAt, 'latin1');
        return reasonAt;
      },
    };
  }
}
