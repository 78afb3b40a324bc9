// Prints the shell script that a CI system makes of a template, as the system documents it.
//
//     node step.js github ACTION.YML INPUTS.JSON         a composite action's one step
//     node step.js buildkite PIPELINE.YML INPUTS.JSON    the plugin's settings as variables
//     node step.js zuul PLAYBOOK.YAML VALUES.JSON        the playbook's shell task
//     node step.js lines FILE                            how many lines are not empty
//
// INPUTS.JSON holds what the user's file says. VALUES.JSON has a value for each expression of the
// playbook's environment.
'use strict';
const fs = require('fs');
const yaml = require('js-yaml');
const Ajv = require('ajv');

const quoted = (text) => `'${String(text).replace(/'/g, `'\\''`)}'`;
const exported = (variables) =>
  Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}\n`).join('');

const systems = {
  github(action, given) {
    for (const name of Object.keys(given)) {
      if (!(name in action.inputs)) throw new Error(`the action has no input ${name}`);
    }
    const inputs = {};
    for (const [name, input] of Object.entries(action.inputs)) {
      if (input.required && !(name in given)) throw new Error(`the action needs ${name}`);
      inputs[name] = given[name] ?? input.default ?? '';
    }
    const steps = action.runs.steps;
    if (steps.length !== 1 || steps[0].shell !== 'bash') throw new Error('one step of bash was expected');
    const variables = {};
    for (const [name, value] of Object.entries(steps[0].env)) {
      variables[name] = value.replace(/^\$\{\{ inputs\.([a-z0-9-]+) \}\}$/, (_, input) => {
        if (!(input in inputs)) throw new Error(`no input ${input}`);
        return inputs[input];
      });
    }
    return exported(variables) + steps[0].run;
  },

  buildkite(plugin, given) {
    const valid = new Ajv({strict: false}).compile(plugin.configuration);
    if (!valid(given)) throw new Error(JSON.stringify(valid.errors));
    const variables = {};
    for (const [name, value] of Object.entries(given)) {
      variables[`BUILDKITE_PLUGIN_GPROFHUB_${name.toUpperCase().replace(/-/g, '_')}`] = value;
    }
    return exported(variables);
  },

  zuul(playbook, given) {
    const task = playbook[0].tasks[0];
    const value = (text) => String(text).replace(/\{\{ (.*?) \}\}/g, (_, expression) => {
      if (!(expression in given)) throw new Error(`no value for ${expression}`);
      return given[expression];
    });
    const variables = {};
    for (const [name, text] of Object.entries(task.environment)) variables[name] = value(text);
    return exported(variables) + value(task['ansible.builtin.shell'].cmd);
  },
};

const [system, file, inputs] = process.argv.slice(2);
const text = fs.readFileSync(file, 'utf8');
if (system === 'lines') {
  console.log(text.split('\n').filter((line) => line.trim() !== '').length);
} else {
  console.log(systems[system](yaml.load(text), JSON.parse(fs.readFileSync(inputs, 'utf8'))));
}
