import Negotiator from 'negotiator';

/**
 * The media type to answer with (RFC 9110 section 12.5.1): of those offered the one the client rates highest; of equals
 * the one it names more precisely or earlier. Without the header anything goes. A parameter that nothing offered has,
 * such as a charset, refuses nothing.
 * @param offered in the order in which the server prefers them: types, or a type with one parameter: `a/b; name=value`
 * @returns undefined when the client takes none of them
 */
export function preferredType<const T extends string>(
  accept: string | undefined,
  offered: readonly T[],
): T | undefined {
  if (accept === undefined || accept.trim() === '') return offered[0];
  return choose(accept, offered) ?? choose(plain(accept), offered);
}

const choose = <T extends string>(accept: string, offered: readonly T[]): T | undefined =>
  new Negotiator({ headers: { accept } }).mediaType([...offered]) as T | undefined;

/** The ranges with their weights alone. */
const plain = (accept: string): string =>
  accept
    .split(',')
    .map((range) => {
      const [type, ...parameters] = range.split(';');
      return [type, ...parameters.filter((parameter) => /^\s*q\s*=/i.test(parameter))].join(';');
    })
    .join(',');
