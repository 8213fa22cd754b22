/** A step of a path that URLs read as "here" or "above" (RFC 3986, 3.3), so that no address can hold it. */
export const isDotSegment = (value: unknown): boolean => value === '.' || value === '..';
