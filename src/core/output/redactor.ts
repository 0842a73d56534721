import { longEnough } from '../lib/visible.ts';

export interface Redactor {
  add(secret: string | undefined): void;
  /** Every output passes this function. Call it before a text is cut too, because it recognizes only the whole token. */
  redact(text: string): string;
}

export function createRedactor(): Redactor {
  const secrets = new Map<string, { pattern: RegExp; mask: string }>();
  return {
    add(secret) {
      if (!secret) return;
      // JSON with *** in the place of a number would not be JSON.
      const mask = /^\d+$/.test(secret) ? '1' : '***';
      for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
        const literal = form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
        // A short secret is hidden where it is a whole word.
        const text = secret.length < longEnough ? `(?<![\\w])${literal}(?![\\w])` : literal;
        secrets.set(form, { pattern: new RegExp(text, 'g'), mask });
      }
    },
    redact(text) {
      let redacted = text;
      for (const { pattern, mask } of secrets.values()) redacted = redacted.replace(pattern, () => mask);
      return redacted;
    },
  };
}

/** Bytes that are no text stay as they are. */
export function redactedBytes(bytes: Buffer, redact: Redactor['redact']): string | Buffer {
  const text = bytes.toString('latin1');
  const redacted = redact(text);
  return redacted === text ? bytes : Buffer.from(redacted, 'latin1');
}
