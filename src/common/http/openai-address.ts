/** Of a route of an OpenAI-compatible server, given the address before `/v1`, with it, or the whole. */
export function openaiAddress(url: string, route: string): string {
  const trimmed = url.replace(/\/+$/, '');
  if (trimmed.endsWith(`/${route}`)) return trimmed;
  return trimmed.endsWith('/v1') ? `${trimmed}/${route}` : `${trimmed}/v1/${route}`;
}
