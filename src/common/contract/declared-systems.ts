import type { Address, RouteRecord } from './contract.js';

/** A module of an app: the routes of its own controllers, and the modules that it imports, by name. */
export interface DeclaredModule {
  name: string;
  routes: readonly RouteRecord[];
  imports: readonly string[];
}

/** A tool, and the addresses that it is a name for. */
interface DeclaredTool {
  name: string;
  /** The one that it goes on to first. */
  routes: readonly Address[];
  isRead: boolean;
}

/** One app of the product, as its declarations have it. */
export interface DeclaredSystem {
  name: string;
  modules: readonly DeclaredModule[];
  tools: readonly DeclaredTool[];
}

/** What every app of the product declares, whichever of them runs here. The apps say it of themselves. */
export abstract class DeclaredSystems {
  abstract read(): Promise<readonly DeclaredSystem[]>;
}
