/** A part of an address as it was before encodeURIComponent; what is not encoded stays as it is. */
export function decoded(part: string | undefined): string {
  try {
    return decodeURIComponent(part ?? '');
  } catch {
    return part ?? '';
  }
}
