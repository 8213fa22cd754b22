/** What is used of the JavaScript interface of WebAssembly: its types stand in the library of browsers alone. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>;
}

type HostFunctions = Readonly<Record<string, (...numbers: number[]) => number | void>>;

export interface WasmInterface {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: Readonly<Record<string, HostFunctions>>) => WasmInstance;
  CompileError: new () => Error;
  LinkError: new () => Error;
}
