/** esbuild collects style sheets in onramp.css. */
declare module "*.css";
