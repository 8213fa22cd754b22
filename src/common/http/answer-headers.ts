/**
 * Instructions to browsers in every answer, whatever its content: do not guess its type, do not show it in a frame,
 * load nothing for it. Pages replace the policy by one of their own.
 */
export const ANSWER_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

/** RFC 6797: for a year, by TLS alone. */
export const TLS_HEADERS = { 'strict-transport-security': 'max-age=31536000' };
