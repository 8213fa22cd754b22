/** The address of the MCP endpoint of this process, as clients reach it; null where none takes access tokens. */
export const MCP_URL = Symbol('address of the MCP endpoint');
