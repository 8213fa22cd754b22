import { Argument, Command, Option } from 'commander';
import { loadSettings } from '../common/config/settings.js';
import { TOOL_SET_NAMES } from '../common/contract/tool-sets.js';
import { connectionOf, type ConnectionOptions } from './mcp/mcp-connection.js';
import { MCP_CLIENTS, recipeFor, secretsLeftOut, type McpClient, type Recipe } from './mcp/recipes.rules.js';
import { print, report, type OutputOptions } from './output.js';

/** `svc mcp`: the configurations of MCP clients (docs/mcp-clients.md). */
export const mcpCommand = (): Command =>
  new Command('mcp').description('set up clients of the Model Context Protocol').addCommand(config());

const config = () =>
  new Command('config')
    .description(
      'print what a client wants to be connected to this server: a file, or a command; where to put it is on stderr',
    )
    .addArgument(new Argument('<client>', 'the client').choices(MCP_CLIENTS))
    .option('--http', 'over HTTP; the default, but for claude-desktop')
    .option('--stdio', 'as a program of this machine')
    .option('--daemon', 'the MCP endpoint of the memory daemon, not that of the tool service')
    .option('--oauth', 'no key: the client has its user sign in at SVC_OIDC_ISSUER')
    .option('--tenant <tenant>', 'whose key; the first tenant unless named')
    .addOption(new Option('--tool-set <set>', 'the set of tools it is shown').choices(TOOL_SET_NAMES))
    .option('--with-key', 'with the key itself, where otherwise its environment variable is named')
    .option('--json', 'print one JSON object')
    .action(async (client: McpClient, options: ConnectionOptions & OutputOptions) => {
      const connection = await connectionOf(client, options, loadSettings());
      const recipe = recipeFor(client, connection);
      const variables = secretsLeftOut(connection).map(({ variable, about }) => ({ variable, about }));
      print(options, { client, transport: connection.kind, ...recipe, variables }, () => [recipe.content]);
      if (!options.json) notesOf(client, recipe, variables).forEach(report);
    });

function notesOf(client: McpClient, recipe: Recipe, variables: { variable: string; about: string }[]): string[] {
  const { file, command, link } = recipe;
  return [
    ...(file === undefined ? [] : [`File: ${PLACES[client] ?? file}`]),
    ...(client === 'claude-desktop' && file === undefined ? [CONNECTOR] : []),
    ...(command === undefined ? [] : [`Or run: ${command}`]),
    ...(link === undefined ? [] : [`Or open: ${link}`]),
    ...variables.map(({ variable, about }) => `${HOW_TO_GIVE[client]} ${variable}: ${about}`),
  ];
}

const PLACES: Partial<Record<McpClient, string>> = {
  'claude-code': '.mcp.json of the project',
  'claude-desktop': 'claude_desktop_config.json; Settings > Developer > Edit Config opens it',
  cursor: '~/.cursor/mcp.json, or .cursor/mcp.json of the project',
  vscode: '.vscode/mcp.json of the project, or of the user: MCP: Open User Configuration',
};

const CONNECTOR =
  'Settings > Connectors > Add custom connector takes this address; it must be one that the internet reaches.';

const HOW_TO_GIVE: Record<McpClient, string> = {
  'claude-code': 'Set the environment variable',
  'claude-desktop': 'Put in, in place of the brackets,',
  cursor: 'Set the environment variable',
  vscode: 'It asks for',
  codex: 'Set the environment variable',
  inspector: 'Set the environment variable',
};
