// The scripts of a board are served beside the pages' own and import them; on disk they lie in the game's folder.
import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const pages = new URL("../../../src/starfrost/web/static/js/", import.meta.url);

registerHooks({
  resolve(name, context, next) {
    const board = context.parentURL?.includes("/board/static/js/") && name.startsWith("./");
    const absent = board && !existsSync(fileURLToPath(new URL(name, context.parentURL)));
    return next(absent ? new URL(name, pages).href : name, context);
  },
});
