// What the server has for the interoperability run alone: errors, progress, a call that waits, questions, a resource and a prompt.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const note = "mem://note"

type nothing struct{}

type stepsArguments struct {
	Count int `json:"count"`
}

func addInterop(server *mcp.Server) {
	tool := func(name string, run func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
		mcp.AddTool(server, &mcp.Tool{Name: name, Description: name}, func(ctx context.Context, request *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
			result, err := run(ctx, request)
			return result, nil, err
		})
	}
	tool("fail", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("it failed")
	})
	steps := &mcp.Tool{Name: "steps", Description: "steps"}
	mcp.AddTool(server, steps, func(ctx context.Context, request *mcp.CallToolRequest, in stepsArguments) (*mcp.CallToolResult, any, error) {
		token := request.Params.GetProgressToken()
		for step := 1; step <= in.Count && token != nil; step++ {
			progress := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(step), Total: float64(in.Count)}
			if err := request.Session.NotifyProgress(ctx, progress); err != nil {
				return nil, nil, err
			}
		}
		return text("done"), nil, nil
	})
	var waited atomic.Value
	waited.Store("nothing")
	tool("wait", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		waited.Store("waiting")
		select {
		case <-ctx.Done():
			waited.Store("cancelled")
			return nil, ctx.Err()
		case <-time.After(20 * time.Second):
			waited.Store("ended")
			return text("not cancelled"), nil
		}
	})
	tool("waited", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(waited.Load().(string)), nil
	})
	tool("ask", ask)
	tool("sample", sample)
	tool("touch", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text("touched"), server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: note})
	})
	server.AddResource(&mcp.Resource{Name: "note", URI: note, MIMEType: "text/plain"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: note, MIMEType: "text/plain", Text: "a note"}}}, nil
	})
	greet := &mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "name", Required: true}}}
	server.AddPrompt(greet, func(_ context.Context, request *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		message := &mcp.PromptMessage{Role: "user", Content: &mcp.TextContent{Text: "Hello " + request.Params.Arguments["name"]}}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{message}}, nil
	})
}

// ask and sample return what they need, the SDK's way for both families: it asks an older client itself.
func ask(_ context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if answer, ok := request.Params.InputResponses["name"].(*mcp.ElicitResult); ok {
		name, _ := answer.Content["name"].(string)
		return text(answer.Action + ":" + name), nil
	}
	schema := json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)
	question := &mcp.ElicitParams{Mode: "form", Message: "Who?", RequestedSchema: schema}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"name": question}, RequestState: "asked"}, nil
}

func sample(_ context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	switch answer := request.Params.InputResponses["text"].(type) {
	case *mcp.CreateMessageResult:
		return text("sampled: " + answer.Content.(*mcp.TextContent).Text), nil
	case *mcp.CreateMessageWithToolsResult:
		return text("sampled: " + answer.Content[0].(*mcp.TextContent).Text), nil
	}
	message := &mcp.SamplingMessage{Role: "user", Content: &mcp.TextContent{Text: "Say hi"}}
	question := &mcp.CreateMessageParams{MaxTokens: 10, Messages: []*mcp.SamplingMessage{message}}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"text": question}, RequestState: "asked"}, nil
}
