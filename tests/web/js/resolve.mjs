// The scripts of a board are served beside the pages' own and import them; on disk they lie in the game's folder. A script
// learns from its own address where the site begins: here that is as on a server.
import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const pages = new URL("../../../src/starfrost/web/static/js/", import.meta.url);
const served = "file:///static/1/js/";

registerHooks({
  resolve(name, context, next) {
    const parentURL = context.parentURL?.replace(served, pages.href);
    const board = parentURL?.includes("/board/static/js/") && name.startsWith("./");
    const absent = board && !existsSync(fileURLToPath(new URL(name, parentURL)));
    const found = next(absent ? new URL(name, pages).href : name, { ...context, parentURL });
    return { ...found, url: found.url.replace(pages.href, served) };
  },
  load: (url, context, next) => next(url.replace(served, pages.href), context),
});
