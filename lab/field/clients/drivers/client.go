// A client of the official Go SDK at one server: `client <target>`. Reads questions and writes answers, each a line of JSON
// (other-language.mjs).
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type target struct {
	URL     string
	Program struct {
		Command string
		Args    []string
		Env     map[string]string
	}
}

type question struct {
	Name string
	Args map[string]any
}

func say(result any, err error) {
	outcome := map[string]any{"result": result}
	if err != nil {
		outcome = map[string]any{"thrown": err.Error()}
	}
	_ = json.NewEncoder(os.Stdout).Encode(outcome)
}

func transportTo(at target) mcp.Transport {
	if at.URL != "" {
		return &mcp.StreamableClientTransport{Endpoint: at.URL}
	}
	command := exec.Command(at.Program.Command, at.Program.Args...)
	for name, value := range at.Program.Env {
		command.Env = append(command.Env, name+"="+value)
	}
	return &mcp.CommandTransport{Command: command}
}

func answer(session *mcp.ClientSession, asked question) (any, error) {
	if asked.Name != "" {
		return session.CallTool(context.Background(), &mcp.CallToolParams{Name: asked.Name, Arguments: asked.Args})
	}
	names := []string{}
	for tool, err := range session.Tools(context.Background(), nil) {
		if err != nil {
			return nil, err
		}
		names = append(names, tool.Name)
	}
	return names, nil
}

func main() {
	var at target
	if err := json.Unmarshal([]byte(os.Args[1]), &at); err != nil {
		panic(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "field", Version: "1.0.0"}, nil)
	session, err := client.Connect(context.Background(), transportTo(at), nil)
	say("connected", err)
	if err != nil {
		return
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		say(answer(session, asked))
	}
	_ = session.Close()
}
