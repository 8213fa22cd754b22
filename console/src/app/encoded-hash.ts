import { useHashLocation } from 'wouter/use-hash-location';

/**
 * The address as it was encoded. wouter decodes all of it, and screens decode their parts (`decoded`): an id such as
 * `a%2Fb` would be another after the second time.
 */
export function useEncodedHash(): ReturnType<typeof useHashLocation> {
  const [path, navigate] = useHashLocation();
  return [path.replaceAll('%', '%25'), navigate];
}

/** What a link to an address of the console bears. */
export const hashOf = (address: string): string => `#${address}`;
