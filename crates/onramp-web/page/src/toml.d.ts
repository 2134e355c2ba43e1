/** The bundler replaces an import of a scenario by its text. */
declare module "*.toml" {
	const text: string;
	export default text;
}
