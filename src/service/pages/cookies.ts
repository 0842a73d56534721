import { createHash, timingSafeEqual } from 'node:crypto';
import { headerOf, type ServiceRequest } from '../request.ts';

export function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export function cookieValues(request: ServiceRequest, name: string): string[] {
  return (headerOf(request, 'cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
