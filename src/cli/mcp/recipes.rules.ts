/** The clients of the Model Context Protocol that a configuration is printed for. */
export const MCP_CLIENTS = ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'codex', 'inspector'] as const;
export type McpClient = (typeof MCP_CLIENTS)[number];

/** A value that no configuration should hold. */
export interface Secret {
  /** The environment variable that the client reads it from. */
  variable: string;
  about: string;
  /** Where it is to be printed after all. */
  value?: string;
}

type Value = string | Secret;

/** How a client reaches this server. */
export type McpConnection =
  | { kind: 'http'; url: string; headers: Readonly<Record<string, Value>> }
  | { kind: 'stdio'; command: string; args: readonly string[]; env: Readonly<Record<string, Value>> };

/** What one client wants. */
export interface Recipe {
  /** The file it reads; absent where the content is a command or an address. */
  file?: string;
  content: string;
  /** What has the same effect on the command line of the client. */
  command?: string;
  /** What has the same effect when it is opened. */
  link?: string;
}

/** The name of the server in the configurations. */
const NAME = 'svc';

/** The configuration of one client, in its own form. */
export function recipeFor(client: McpClient, connection: McpConnection): Recipe {
  switch (client) {
    case 'claude-code':
      return claudeCode(connection);
    case 'claude-desktop':
      return claudeDesktop(connection);
    case 'cursor':
      return cursor(connection);
    case 'vscode':
      return visualStudioCode(connection);
    case 'codex':
      return codex(connection);
    case 'inspector':
      return inspector(connection);
  }
}

/** The secrets that are left out, to be put where the client finds them. */
export const secretsLeftOut = (connection: McpConnection): Secret[] =>
  Object.values(valuesOf(connection)).filter(
    (value): value is Secret => typeof value !== 'string' && value.value === undefined,
  );

const valuesOf = (connection: McpConnection): Readonly<Record<string, Value>> =>
  connection.kind === 'http' ? connection.headers : connection.env;

/**
 * Expands ${VAR} in url, headers, command, args and env of .mcp.json, to which the scope project writes. Single quotes
 * keep the shell from doing so before it. What holds a key is for its user alone.
 */
function claudeCode(connection: McpConnection): Recipe {
  const values = filled(valuesOf(connection), ({ variable }) => `\${${variable}}`);
  const start = `claude mcp add${secretsLeftOut(connection).length > 0 ? ' --scope project' : ''}`;
  const add =
    connection.kind === 'http'
      ? `${start} --transport http ${NAME} ${quoted(connection.url)}${flags('--header', values, ': ')}`
      : `${start}${flags('--env', values, '=')} --transport stdio ${NAME} -- ${commandLine(connection)}`;
  return { file: '.mcp.json', content: mcpServers(typed(connection, values)), command: add };
}

/**
 * Its file names programs alone, and it expands nothing there. Servers over HTTP are connectors, which its user adds by
 * their address.
 */
function claudeDesktop(connection: McpConnection): Recipe {
  if (connection.kind === 'http') return { content: connection.url };
  const env = filled(connection.env, ({ variable }) => `<${variable}>`);
  const { command, args } = connection;
  return { file: 'claude_desktop_config.json', content: mcpServers({ command, args, env }) };
}

/** Resolves ${env:NAME} in command, args, env, url and headers. */
function cursor(connection: McpConnection): Recipe {
  const values = filled(valuesOf(connection), ({ variable }) => `\${env:${variable}}`);
  const server = connection.kind === 'http' ? withHeaders({ url: connection.url }, values) : typed(connection, values);
  const config = encodeURIComponent(Buffer.from(JSON.stringify(server)).toString('base64'));
  return {
    file: '~/.cursor/mcp.json',
    content: mcpServers(server),
    link: `cursor://anysphere.cursor-deeplink/mcp/install?name=${NAME}&config=${config}`,
  };
}

/** Asks its user for an input, and keeps it. */
function visualStudioCode(connection: McpConnection): Recipe {
  const idOf = ({ variable }: Secret): string => variable.toLowerCase().replaceAll('_', '-');
  const values = filled(valuesOf(connection), (secret) => `\${input:${idOf(secret)}}`);
  const inputs = secretsLeftOut(connection).map((secret) => ({
    ...{ type: 'promptString', id: idOf(secret), description: secret.about, password: true },
  }));
  const content = { ...(inputs.length === 0 ? {} : { inputs }), servers: { [NAME]: typed(connection, values) } };
  return { file: '.vscode/mcp.json', content: pretty(content) };
}

/** Names the variables that hold a bearer, a header or a part of the environment of a program. */
function codex(connection: McpConnection): Recipe {
  const given = Object.entries(valuesOf(connection)).flatMap(([name, value]) =>
    typeof value === 'string' || value.value !== undefined
      ? [[name, typeof value === 'string' ? value : value.value!] as const]
      : [],
  );
  const named = Object.entries(valuesOf(connection)).flatMap(([name, value]) =>
    typeof value === 'string' || value.value !== undefined ? [] : [[name, value.variable] as const],
  );
  const lines =
    connection.kind === 'http'
      ? [
          `url = ${toml(connection.url)}`,
          ...inlineTable('http_headers', given),
          ...inlineTable('env_http_headers', named),
        ]
      : [
          `command = ${toml(connection.command)}`,
          `args = [${connection.args.map(toml).join(', ')}]`,
          ...inlineTable('env', given),
          ...(named.length === 0 ? [] : [`env_vars = [${named.map(([name]) => toml(name)).join(', ')}]`]),
        ];
  return { file: '~/.codex/config.toml', content: [`[mcp_servers.${NAME}]`, ...lines].join('\n') };
}

/** A command that lists the tools. Double quotes let the shell put in the variables. */
function inspector(connection: McpConnection): Recipe {
  const values = filled(valuesOf(connection), ({ variable }) => `$${variable}`);
  const isReference = (name: string): boolean => {
    const value = valuesOf(connection)[name];
    return typeof value === 'object' && value.value === undefined;
  };
  const pass = (flag: string, between: string): string =>
    Object.entries(values)
      .map(
        ([name, value]) =>
          `${flag} ${isReference(name) ? `"${name}${between}${value}"` : quoted(name + between + value)} `,
      )
      .join('');
  const start = 'npx @modelcontextprotocol/inspector --cli';
  return {
    content:
      connection.kind === 'http'
        ? `${start} ${quoted(connection.url)} --transport http ${pass('--header', ': ')}--method tools/list`
        : `${start} ${pass('-e', '=')}${commandLine(connection)} --method tools/list`,
  };
}

const filled = (values: Readonly<Record<string, Value>>, referTo: (secret: Secret) => string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : (value.value ?? referTo(value)),
    ]),
  );

const typed = (connection: McpConnection, values: Record<string, string>): object =>
  connection.kind === 'http'
    ? withHeaders({ type: 'http', url: connection.url }, values)
    : { type: 'stdio', command: connection.command, args: connection.args, env: values };

const withHeaders = (server: object, headers: Record<string, string>): object =>
  Object.keys(headers).length === 0 ? server : { ...server, headers };

const mcpServers = (server: object): string => pretty({ mcpServers: { [NAME]: server } });
const pretty = (value: object): string => JSON.stringify(value, null, 2);

const flags = (flag: string, values: Record<string, string>, between: string): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${flag} ${quoted(name + between + value)}`)
    .join('');

const commandLine = ({ command, args }: { command: string; args: readonly string[] }): string =>
  [command, ...args].map(quoted).join(' ');

/** One word of a POSIX shell, nothing of it expanded. */
const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** A basic string; JSON escapes a part of what TOML lets be escaped. */
const toml = (text: string): string => JSON.stringify(text);

const inlineTable = (name: string, entries: readonly (readonly [string, string])[]): string[] =>
  entries.length === 0
    ? []
    : [`${name} = { ${entries.map(([key, value]) => `${toml(key)} = ${toml(value)}`).join(', ')} }`];
