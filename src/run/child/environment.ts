import { AccessDenied, replace } from './deny.ts';

// These constants keep the original functions, because the val could replace the properties of `Reflect` and `RegExp`.
const { apply } = Reflect;
const { exec } = RegExp.prototype;

/**
 * Gives the val a copy of the environment. In the original, the val could set RESOLV_HOST_CONF to the path of any file,
 * and glibc would print the lines of that file.
 */
export function separateEnvironment(): void {
  const original = process.env;
  // TZ is also changed in `original`, because Node takes the time zone from `original`.
  process.env = new Proxy(
    { ...original },
    {
      defineProperty(copy, name, descriptor) {
        if (!('value' in descriptor)) return Reflect.defineProperty(copy, name, descriptor);
        const value = `${descriptor.value}`;
        if (name === 'TZ' && isTimeZone(value)) original.TZ = value;
        return Reflect.defineProperty(copy, name, { ...descriptor, value });
      },
      deleteProperty(copy, name) {
        if (name === 'TZ') delete original.TZ;
        return Reflect.deleteProperty(copy, name);
      },
    },
  );
  replace(process, 'loadEnvFile', () => {
    throw new AccessDenied('Environment');
  });
}

const timeZone = /^(?:[\w+-]+(?:\/[\w+-]+)*)?$/;

/**
 * If TZ is a path, the C library opens that file. While the file is open, a val could guess the number of its file
 * descriptor, and read the file.
 */
const isTimeZone = (value: string): boolean => apply(exec, timeZone, [value]) !== null;
